import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../../operations/problem.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { REMOVAL_DAYS } from '../handling/in-force.ts'
import { showDeletePosts, showSuspend } from './person-act-page.ts'
import { postsRemoval, postsRestoration, suspension, suspensionEnd } from './person-operations.ts'

const RESTORATION = {
  done: 'removal.flash.restored',
  none: 'removal.flash.none',
  late: 'removal.flash.late',
} as const

/** Acts of staff on a person: the forms are on the person's profile and, for admins, on the page of the account. */
export function registerPersonActs(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => ({
    personId: idParam(request, 'id'),
    course: typedFields(request.body).course ?? '',
  })
  const done = (_outcome: unknown, request: FastifyRequest) =>
    backPath(request, `/people/${idParam(request, 'id')}`)
  const formPage = (request: FastifyRequest) => `/people/${idParam(request, 'id')}`
  app.get('/people/:id/posts/deletion', async (request, reply) => showDeletePosts(request, reply))
  openForm(app, '/people/:id/suspension', suspension, {
    ...{ key, done, formPage, refused: showSuspend },
    flash: () => 'suspension.flash.begun',
    failed: (request, reply, error, form) =>
      error instanceof Problem && error.key === 'alreadySuspended' ? showSuspend(request, reply, form) : null,
  })
  openForm(app, '/people/:id/suspension/end', suspensionEnd, {
    ...{ key, done, formPage },
    flash: (_request, outcome) => (outcome?.ended === 0 ? 'suspension.flash.none' : 'suspension.flash.ended'),
  })
  openForm(app, '/people/:id/posts/deletion', postsRemoval, {
    ...{ key, done, formPage, refused: showDeletePosts },
    flash: (_request, outcome) => ({
      said: [{ key: 'removal.flash.removed', values: { count: outcome?.count ?? 0 } }],
    }),
  })
  openForm(app, '/people/:id/posts/restoration', postsRestoration, {
    ...{ key, done, formPage },
    flash: (_request, outcome) => ({
      said: [{ key: RESTORATION[outcome?.outcome ?? 'none'], values: { days: REMOVAL_DAYS } }],
    }),
  })
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { KINDS, type PostTable } from './kinds.ts'
import { REMOVALS } from './removal.ts'

export function registerRemoval(app: FastifyInstance, table: PostTable): void {
  const { deletion, restoration } = REMOVALS[table]
  const key = (request: FastifyRequest) => idParam(request, 'id')
  const page = (request: FastifyRequest) => `/${table}/${key(request)}`
  openForm(app, `/${table}/:id/delete`, deletion, {
    key,
    done: ({ question }) => (table === 'questions' ? '/questions' : questionPath(question)),
    flash: (request) => ({ said: `${table}.flash.deleted`, act: `${page(request)}/restoration` }),
  })
  openForm(app, `/${table}/:id/restoration`, restoration, {
    key,
    // A reply has no page of its own.
    ...(table !== 'replies' && { formPage: page }),
    done: ({ id, question }) => KINDS[table].path(question, id),
    flash: () => `${table}.flash.restored`,
  })
}

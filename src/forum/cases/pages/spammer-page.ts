import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type FormState, freshForm, typedFields } from '../../../web/form.ts'
import { openForm, type Said } from '../../../web/forms/door.ts'
import { page } from '../../../web/page.ts'
import { idParam } from '../../../web/params.ts'
import { backPath, pathWith } from '../../../web/paths.ts'
import { zoneIn } from '../../courses/course-page.ts'
import { isSuspendedForGood, spammer, spammerAct, spammerCounts, spammerUndo } from '../spammer.ts'
import { actPage, type Sent } from './person-act-page.ts'

/** `/people/:id/spammer`: what marking somebody as a spammer does, does it, and takes it back. */
export function registerSpammer(app: FastifyInstance): void {
  const profile = (request: FastifyRequest) => `/people/${idParam(request, 'id')}`
  const courseIn = (request: FastifyRequest) => typedFields(request.body).course ?? ''
  const door = {
    key: (request: FastifyRequest) => ({ personId: idParam(request, 'id'), course: courseIn(request) }),
    done: (_outcome: unknown, request: FastifyRequest) => backPath(request, profile(request)),
    formPage: (request: FastifyRequest) =>
      pathWith(`${profile(request)}/spammer`, { course: courseIn(request) || null }),
    refused: (request: FastifyRequest, reply: FastifyReply, form: FormState) =>
      showSpammer(request, reply, form, typedFields(request.body)),
  }
  app.get('/people/:id/spammer', (request, reply) => showSpammer(request, reply))
  openForm(app, '/people/:id/spammer', spammer, {
    ...door,
    flash: (request, outcome): Said => ({
      said: outcome?.isDone === false ? 'spammer.flash.before' : 'spammer.flash.done',
      act: pathWith(`${profile(request)}/spammer/undo`, { course: courseIn(request) || null }),
    }),
  })
  openForm(app, '/people/:id/spammer/undo', spammerUndo, {
    ...door,
    flash: (_request, outcome) => `spammer.flash.${outcome?.isDone === false ? 'none' : 'undone'}`,
  })
}

/** The page before somebody is marked as a spammer in a course, or everywhere, and after it. @throws Problem unless the viewer may do it */
export const showSpammer = page(
  'cases/spammer',
  { robots: 'noindex', isForStaff: true },
  async (context, form: FormState = freshForm(), sent: Sent = {}) => {
    const { t, db } = context
    const { subject, shown } = await actPage(context, 'spammer', form, sent)
    const { place, course } = subject
    const done = await spammerAct(db, place)
    const isSuspended = await isSuspendedForGood(db, place)
    return {
      ...shown,
      title: t('spammer.title', { name: shown.name }),
      done: done && {
        by: done.by ?? t('cases.formerMember'),
        at: writtenMoment(done.at, zoneIn(context, course), t),
        undoPath: done.isLate ? null : `${shown.action}/undo`,
      },
      // null: it is done.
      counts: done !== null && isSuspended ? null : await spammerCounts(db, place),
      isSuspended,
      head: { address: pathWith(shown.action, { course: shown.course || null }) },
    }
  },
)

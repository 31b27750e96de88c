import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { Problem } from '../../operations/problem.ts'
import { formatDay } from '../../text/dates.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../questions/find.ts'
import { snoozeQuestion } from './commands.ts'
import { futureDay } from './future-day.ts'
import { courseOfQuestion } from './place.ts'

/** Putting a question off until a day, `until` = `2026-12-01`, or not any more. The asker's next word ends it, too. */
export function registerSnooze(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/snooze',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'assign')
      const { until = '' } = typedFields(request.body)
      const timeZone = person.timeZone ?? (await courseOfQuestion(request, question)).timeZone
      const day = until === '' ? null : futureDay(until, formatDay(new Date(), timeZone))
      if (until !== '' && day === null) throw new Problem('invalid')
      const isOpen = await snoozeQuestion(app.db, question.id, day === null ? null : { day, timeZone })
      if (isOpen) noteEvent(request, 'staff-decided', { act: 'snooze', questionId: question.id })
      const done = isOpen ? (day === null ? 'woken' : 'snoozed') : 'closed'
      return reply.flash(`desk.flash.${done}`).redirect(backPath(request, questionPath(question)), 303)
    },
  )
}

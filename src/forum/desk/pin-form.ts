import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { formatDay } from '../../text/dates.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../questions/find.ts'
import { futureDay } from './future-day.ts'
import { MAX_PINS, pinQuestion, unpinQuestion } from './pins.ts'
import { courseOfQuestion } from './place.ts'
import { refuse } from './refused.ts'

const DEFAULT_DAYS = 7
const DAY_MS = 24 * 3_600_000

const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
const config = { limit: 'voting', needsPerson: true, formPage } as const

/** `until`: the last day; left out: in seven days; empty: no longer. */
export function registerPins(app: FastifyInstance): void {
  app.post('/questions/:id/pin', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const question = await findQuestion(app.db, person, idParam(request, 'id'), 'assign')
    const timeZone = person.timeZone ?? (await courseOfQuestion(request, question)).timeZone
    const typed = typedFields(request.body).until
    const done = (what: string) => {
      noteEvent(request, 'staff-decided', { act: what, questionId: question.id })
      return reply.flash(`desk.flash.${what}`).redirect(backPath(request, questionPath(question)), 303)
    }
    if (typed === '') {
      await unpinQuestion(app.db, question.id)
      return done('unpinned')
    }
    const inAWeek = formatDay(new Date(Date.now() + DEFAULT_DAYS * DAY_MS), timeZone).replaceAll('.', '-')
    const until = futureDay(typed ?? inAWeek, formatDay(new Date(), timeZone))
    const sent = { act: 'pin', name: 'until', value: typed ?? inAWeek, type: 'date' } as const
    if (until === null) return refuse(request, reply, question, { ...sent, why: 'day' })
    const outcome = await pinQuestion(app.db, {
      questionId: question.id,
      until,
      timeZone,
      pinnedBy: person.id,
    })
    if (outcome === 'done') return done('pinned')
    return refuse(request, reply, question, { ...sent, why: outcome, values: { max: MAX_PINS } })
  })
}

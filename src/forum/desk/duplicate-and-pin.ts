import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { formatDay } from '../../text/dates.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion, type Post } from '../questions/find.ts'
import { questionIdIn, setDuplicate } from './duplicates.ts'
import { futureDay } from './future-day.ts'
import { MAX_PINS, pinQuestion, unpinQuestion } from './pins.ts'
import { courseOfQuestion } from './place.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'desk/refused': RefusedPage
  }
}

/** A form of one field that cannot be done: what is wrong, and the form again. */
export interface RefusedPage {
  readonly reason: string
  readonly action: string
  readonly field: {
    readonly name: string
    readonly label: string
    readonly value: string
    readonly type: 'text' | 'date'
  }
  readonly button: string
  readonly backPath: string
}

const DEFAULT_DAYS = 7
const DAY_MS = 24 * 3_600_000

const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
const config = { limit: 'voting', needsPerson: true, formPage } as const

/** `of`: id or address of the question that answers this one; empty: it is none after all, which the asker may say as well. */
export function registerDuplicates(app: FastifyInstance): void {
  app.post('/questions/:id/duplicate', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const of = (typedFields(request.body).of ?? '').trim()
    const question = await findQuestion(
      app.db,
      person,
      idParam(request, 'id'),
      of === '' ? 'unlink' : 'assign',
    )
    const originalId = of === '' ? null : questionIdIn(of)
    const refusal =
      of !== '' && originalId === null
        ? 'unknown'
        : await setDuplicate(app.db, { questionId: question.id, originalId, linkedBy: person.id })
    if (refusal !== null)
      return refuse(request, reply, question, 'duplicate', { name: 'of', value: of, type: 'text' }, refusal)
    noteEvent(request, 'staff-decided', { act: of === '' ? 'unlink' : 'link', questionId: question.id })
    return reply
      .flash(of === '' ? 'desk.flash.unlinked' : 'desk.flash.linked')
      .redirect(backPath(request, questionPath(question)), 303)
  })
}

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
    const field = { name: 'until', value: typed ?? inAWeek, type: 'date' } as const
    if (until === null) return refuse(request, reply, question, 'pin', field, 'day')
    const outcome = await pinQuestion(app.db, {
      questionId: question.id,
      until,
      timeZone,
      pinnedBy: person.id,
    })
    return outcome === 'done' ? done('pinned') : refuse(request, reply, question, 'pin', field, outcome)
  })
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  question: Post,
  act: 'duplicate' | 'pin',
  field: Pick<RefusedPage['field'], 'name' | 'value' | 'type'>,
  why: 'unknown' | 'private' | 'itself' | 'day' | 'full',
) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'desk/refused',
    {
      title: t(`desk.${act}.title`),
      reason: t(`desk.${act}.${why}`, why === 'full' ? { max: MAX_PINS } : undefined),
      action: `/questions/${question.id}/${act}`,
      field: { ...field, label: t(`desk.${act}.label`) },
      button: t(`desk.${act}.name`),
      backPath: backPath(request, questionPath(question)),
    },
    { status: 422, robots: 'noindex' },
  )
}

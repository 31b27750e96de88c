import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenMoment } from '../../../messages/spoken-moment.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { translatorFor } from '../../../web/language.ts'
import { contextOf } from '../../../web/page.ts'
import { settingsNav } from '../../../web/settings-nav.ts'
import { measuresOfPerson, type RecordedMeasure } from '../find.ts'
import { measureView, wordOf } from '../measures.ts'

export const STANDING = '/settings/standing'

interface SentToMeasure {
  readonly measureId: number
  readonly form: FormState
}

export async function showStanding(
  request: FastifyRequest,
  reply: FastifyReply,
  sent: SentToMeasure | null = null,
) {
  return reply.page('cases/standing', await standingPage(request, sent), {
    robots: 'noindex',
    isForStaff: true,
    address: STANDING,
    status: sent === null ? 200 : 422,
  })
}

/** One's own measures, latest first. Nothing here says who reported, how many, or when. */
export async function standingPage(request: FastifyRequest, sent: SentToMeasure | null) {
  const person = request.requirePerson()
  const { db, config } = request.server
  const t = translatorFor(request)
  const measures = await measuresOfPerson(db, person.id, null, person)
  const now = new Date()
  const views = measures.map((one) => {
    const timeZone = person.timeZone ?? one.time_zone ?? config.timeZone
    return ownMeasure(t, one, { timeZone, now, sent })
  })
  return {
    title: t('standing.title'),
    errors: (sent?.form.errors ?? []).map(({ message }) => ({
      field: `object-${sent?.measureId}`,
      text: t(message.key, message.values),
    })),
    current: views.filter(({ isInForce }) => isInForce),
    ended: views.filter(({ isInForce }) => !isInForce),
    ...settingsNav(contextOf(request), STANDING),
  }
}

function ownMeasure(
  t: Translate,
  measure: RecordedMeasure,
  { timeZone, now, sent }: { timeZone: string; now: Date; sent: SentToMeasure | null },
) {
  const { about, course_title: course, kind, id } = measure
  const at = measure.objected_at
  return {
    ...measureView(t, measure, { about, course, timeZone, now }),
    post: postLink(t, measure),
    effect: kind === 'suspend' || kind === 'reset-name' ? t(`standing.effect.${wordOf(kind)}`) : null,
    note: measure.note,
    rule: measure.rule,
    foundBy: t(measure.is_reported ? 'standing.found.report' : 'standing.found.staff'),
    endNote: measure.end_note,
    objection:
      at === null
        ? null
        : {
            text: t(measure.outcome === null ? 'standing.objected' : `standing.answered.${measure.outcome}`),
            at: writtenMoment(measure.answered_at ?? at, timeZone, t),
            answer: measure.answer ?? '',
          },
    form: sent?.measureId === id ? sent.form : freshForm(),
  }
}

/** Its author still sees what is hidden, and on its page for a while the question that was deleted. */
function postLink(
  t: Translate,
  { about, kind, question_id, answer_id, reply_id, question_title: title }: RecordedMeasure,
) {
  if (kind === 'delete' && question_id === null) return null
  const text = title === null ? t(`standing.post.${about}`) : t(`standing.postIn.${about}`, { title })
  if (question_id !== null) return { path: `/questions/${question_id}`, text }
  if (answer_id !== null) return { path: `/answers/${answer_id}/history`, text }
  return reply_id === null ? null : { path: `/replies/${reply_id}/history`, text }
}

import { findSiteSettings } from '../../../kernel/rights/site-settings.ts'
import type { Translate } from '../../../messages/catalogue.ts'
import { writtenDate, writtenMoment } from '../../../messages/spoken-moment.ts'
import { prepareMarkdown } from '../../../text/markdown.ts'
import { type FormState, freshForm } from '../../../web/form.ts'
import { settingsPage } from '../../../web/settings-nav.ts'
import { noteBeside } from '../../handling/decided-posts.ts'
import { type MeasureRow, measuresOfPerson } from '../find.ts'
import { measureView, wordOf } from '../measures.ts'

export const STANDING = '/settings/standing'

interface SentToMeasure {
  readonly measureId: number
  readonly form: FormState
}

/**
 * One's own measures, those in force and then the others, latest first. Nothing here says who reported, how
 * many, or when.
 */
export const showStanding = settingsPage(
  'cases/standing',
  STANDING,
  { robots: 'noindex', isForStaff: true, address: STANDING },
  async (context, sent: SentToMeasure | null = null) => {
    const { t, db, config, now } = context
    const person = context.person()
    const measures = await measuresOfPerson(db, person.id, null, person)
    const views = measures.map((measure) => {
      const { id, objected_at: objectedAt, outcome } = measure
      const timeZone = person.timeZone ?? measure.time_zone ?? config.timeZone
      return {
        ...measureView(t, measure, { timeZone, now }),
        post: postLink(t, measure),
        effect: effectOf(t, measure),
        ground: t(`reports.reason.${measure.reason}`),
        rule: measure.rule,
        note: saidOf(t, measure),
        foundBy: t(measure.is_reported ? 'standing.found.report' : 'standing.found.staff'),
        endNote: measure.end_note,
        objection: objectedAt && {
          text: t(outcome === null ? 'standing.objected' : `standing.answered.${outcome}`),
          at: writtenMoment(measure.answered_at ?? objectedAt, timeZone, t),
          answer: measure.answer ?? '',
        },
        objectUntil: writtenDate(measure.object_until, timeZone, t),
        canObject: objectedAt === null && measure.object_until > now,
        form: sent?.measureId === id ? sent.form : freshForm(),
      }
    })
    const [bodies] = await prepareMarkdown([(await findSiteSettings(db)).complaintBodies])
    return {
      title: t('standing.title'),
      bodiesHtml: bodies.html,
      errors: (sent?.form.errors ?? []).map(({ message }) => ({
        field: `object-${sent?.measureId}`,
        text: t(message.key, message.values),
      })),
      measures: views.sort((one, other) => Number(other.isInForce) - Number(one.isInForce)),
    }
  },
)

function effectOf(t: Translate, { kind, ends_at: end }: MeasureRow): string | null {
  if (kind === 'suspend' && end === null) return t('standing.effect.suspendForGood')
  return kind === 'suspend' || kind === 'reset-name' ? t(`standing.effect.${wordOf(kind)}`) : null
}

/** The words of staff. Before a measure had to have a reason, some had none. */
function saidOf(t: Translate, { reason, rule, note }: MeasureRow): string {
  const isUnsaid = reason !== 'spam' && rule === '' && note === ''
  return isUnsaid ? t('standing.noReason') : noteBeside(reason, note)
}

/** Its author still sees what is hidden, and on its page for a while the question that was deleted. */
function postLink(t: Translate, { about, kind, question_title: title, ...measure }: MeasureRow) {
  const { question_id: question, answer_id: answer, reply_id: reply } = measure
  if (kind === 'delete' && question === null) return null
  const text = title === null ? t(`standing.post.${about}`) : t(`standing.postIn.${about}`, { title })
  if (question !== null) return { path: `/questions/${question}`, text }
  if (answer !== null) return { path: `/answers/${answer}/history`, text }
  return reply === null ? null : { path: `/replies/${reply}/history`, text }
}

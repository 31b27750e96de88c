import { sql } from 'kysely'
import type { Database, MeasureKind, ReportReason } from '../../database/schema.ts'
import { type Actor, may } from '../../kernel/rights/rights.ts'
import { LANGUAGES, type Translate, translatorOf } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { ANY_STATE, handledBy, isHandledByPerson } from './handlers.ts'
import { keptUntil, objectUntil } from './in-force.ts'

/** Measures that change how a post is shown, in the order in which they matter to its reader. */
export const ON_POSTS = ['delete', 'hide', 'private', 'close'] as const satisfies readonly MeasureKind[]

export type DecidedPost = Awaited<ReturnType<typeof decisionsOn>>[number]

/**
 * The decisions in force that made posts of a question deleted, hidden, private or closed: for the author of each post, and for the
 * staff of its course. Uses indexes cases_of_subject and measures_person.
 */
export async function decisionsOn(db: Database, viewer: Actor, questionId: number, courseId: number) {
  const isStaff = may(viewer, 'moderate', { ...ANY_STATE, courseId })
  const { rows } = await sql<{
    /** 'question-5', 'answer-12': the element of the post. */
    subject: string
    id: number
    kind: (typeof ON_POSTS)[number]
    startsAt: Date
    caseId: number
    reason: ReportReason
    rule: string
    note: string
    isOwn: boolean
    /** Only for those who may handle the case. */
    makerName: string | null
    mayHandle: boolean
    isObjected: boolean
    canObject: boolean
    outcome: 'keep' | 'lift' | null
  }>`
    with post as (
      select 'question-' || id as subject, author_id, deleted_at, hidden_at, answers_closed_at as closed_at, audience = 'staff' as is_private
      from questions where id = ${questionId} and purged_at is null
      union all
      select 'answer-' || id, author_id, deleted_at, hidden_at, null, false from answers
      where question_id = ${questionId} and purged_at is null and not is_shown
      union all
      select 'reply-' || id, author_id, deleted_at, hidden_at, null, false from replies
      where question_id = ${questionId} and purged_at is null and not is_shown)
    select post.subject, measure.id, measure.kind, measure.starts_at as "startsAt", matter.id as "caseId", matter.reason, matter.rule,
      matter.note, post.author_id = ${viewer.id} as "isOwn",
      handling.may as "mayHandle", case when handling.may then maker.display_name end as "makerName",
      objections.measure_id is not null as "isObjected", objections.outcome,
      objections.measure_id is null and now() <= ${objectUntil(sql`measure.starts_at`)} as "canObject"
    from post
    join measures as measure on measure.ended_at is null and measure.id in (
      select one.id from measures as one join cases on cases.id = one.case_id where cases.subject = post.subject
      union all
      select one.id from measures as one join cases on cases.id = one.case_id
      where one.person_id = post.author_id and one.kind = 'delete' and cases.about = 'person')
    join cases as matter on matter.id = measure.case_id ${handledBy(viewer)}
    cross join lateral (select ${isStaff} and ${isHandledByPerson} as may) as handling
    left join people as maker on maker.id = measure.made_by
    left join objections on objections.measure_id = measure.id
    where (post.author_id = ${viewer.id} or ${isStaff}) and case measure.kind
      when 'delete' then post.deleted_at = measure.starts_at
      when 'hide' then post.hidden_at is not null
      when 'private' then post.is_private
      when 'close' then post.closed_at is not null end
    order by post.subject, array_position(${[...ON_POSTS]}::text[], measure.kind), measure.id`.execute(db)
  return rows
}

/** A decision beside its post: views/cases/_decided.eta. */
export type DecidedView = ReturnType<typeof decidedView>

/** Why a decision was taken, in a word or two; null: no word of ours says it. */
export const groundOf = (t: Translate, reason: ReportReason) =>
  reason === 'other' ? null : t(`decided.ground.${reason}`)

/** The same after what was decided; empty where no word says it. */
export function groundSaid(t: Translate, reason: ReportReason): string {
  const ground = groundOf(t, reason)
  return ground === null ? '' : t('decided.because', { ground })
}

/** A note without one that only names the ground, as the form that decides begins with it, in the language of whoever decided. */
export const noteBeside = (reason: ReportReason, note: string) =>
  reason !== 'other' && LANGUAGES.some((one) => translatorOf(one)(`reports.reason.${reason}`) === note)
    ? ''
    : note

const ICONS = { delete: 'trash', hide: 'eye-off', private: 'lock', close: 'lock' } as const

/**
 * Its author learns neither who decided nor who reported; who may handle the case sees who decided. `objection` is what became of the
 * author's; that and the paths are null for those whom they don't concern. `isCalm`: others read the post as before.
 */
export function decidedView(t: Translate, decision: DecidedPost, timeZone: string) {
  const { kind, isOwn, mayHandle, makerName, isObjected, outcome, id, caseId, startsAt } = decision
  const isNamed = mayHandle && !isOwn && makerName !== null
  return {
    what: isNamed ? t(`decided.${kind}.by`, { name: makerName }) : t(`decided.${kind}`),
    at: writtenMoment(startsAt, timeZone, t),
    ground: groundSaid(t, decision.reason),
    rule: decision.rule,
    note: noteBeside(decision.reason, decision.note),
    whoSees: whoSees(t, decision, timeZone),
    objection:
      isOwn && isObjected ? t(outcome === null ? 'standing.objected' : `standing.answered.${outcome}`) : null,
    decisionPath: isOwn ? `/settings/standing#measure-${id}` : null,
    objectPath: isOwn && decision.canObject ? `/settings/standing#object-${id}` : null,
    staff:
      mayHandle && !isOwn
        ? { casePath: `/cases/${caseId}`, number: caseId, undoPath: `/measures/${id}/end` }
        : null,
    icon: ICONS[kind],
    isCalm: kind === 'close',
  }
}

function whoSees(t: Translate, decision: DecidedPost, timeZone: string): string {
  const { kind, isOwn, startsAt } = decision
  if (kind === 'close') return t('decided.close.reads')
  if (kind !== 'delete') return t(isOwn ? 'audience.private.own' : 'audience.private.staff')
  if (!isKeptForAuthor(decision)) return t('decided.delete.staff')
  return t('decided.delete.own', { until: writtenMoment(keptUntil(startsAt), timeZone, t).text })
}

/** Whether this deleted a post of the reader's own, which they still read. */
export const isKeptForAuthor = ({ kind, isOwn, startsAt }: DecidedPost) =>
  kind === 'delete' && isOwn && keptUntil(startsAt) > new Date()

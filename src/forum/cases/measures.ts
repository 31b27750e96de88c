import { type RawBuilder, sql } from 'kysely'
import type { CaseAbout, MeasureKind, Row, Write } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenMoment } from '../../messages/spoken-moment.ts'
import { keptUntil, measureHolds, questionOfMatter } from '../handling/in-force.ts'
import { KINDS, POST_TABLES, questionIdOf } from '../posts/kinds.ts'
import { deletePost, hidePost, releasePost, restorePost, showPost } from '../posts/removal.ts'
import { indexQuestions } from '../search/index-question.ts'
import type { MeasureRow } from './find.ts'
import { type CasePost, postOfCase, postsOf } from './subject.ts'

export interface NewMeasure {
  readonly kind: MeasureKind
  /** When a suspension is over; null: for good. */
  readonly endsAt: RawBuilder<Date> | Date | null
  readonly isEverywhere: boolean
}

export type DecidedCase = Pick<
  Row<'cases'>,
  'id' | 'question_id' | 'answer_id' | 'reply_id' | 'person_id' | 'course_id'
>

/**
 * In the transaction that decides its case. What its post already is stays so.
 * @returns its id; null: the account is gone
 */
export async function takeMeasure(
  write: Write,
  matter: DecidedCase,
  { kind, endsAt, isEverywhere }: NewMeasure,
  actorId: number,
): Promise<number | null> {
  const personId = matter.person_id
  const formerName = kind === 'reset-name' && personId !== null ? await resetName(write, personId) : null
  if (kind === 'reset-name' && formerName === null) return null
  const { id } = await write
    .insertInto('measures')
    .values({
      case_id: matter.id,
      kind,
      person_id: personId,
      course_id: isEverywhere ? null : matter.course_id,
      is_everywhere: isEverywhere,
      former_name: formerName,
      ends_at: endsAt,
      made_by: actorId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const post = await postOfCase(write, matter)
  if (post !== null) await ON_POSTS[kind]?.(write, post, actorId)
  return id
}

/** Applies a measure to the post of its case, or to its question. */
const ON_POSTS: Partial<
  Record<MeasureKind, (write: Write, post: CasePost, actorId: number) => Promise<unknown>>
> = {
  hide: hidePost,
  delete: deletePost,
  close: (write, { questionId }) =>
    write
      .updateTable('questions')
      .set({ answers_closed_at: sql`coalesce(answers_closed_at, now())` })
      .where('id', '=', questionId)
      .execute(),
  private: async (write, { questionId }) => {
    await write.updateTable('questions').set({ audience: 'staff' }).where('id', '=', questionId).execute()
    await indexQuestions(write, [questionId])
  },
}

/** Gives a person a neutral name. @returns the former one; null: the account is gone */
async function resetName(write: Write, personId: number): Promise<string | null> {
  const { rows } = await sql<{ name: string }>`
    update people set display_name = 'Member ' || people.id
    from (select id, display_name from people where id = ${personId} and left_at is null for update) as before
    where people.id = before.id returning before.display_name as name`.execute(write)
  return rows[0]?.name ?? null
}

/**
 * Ends a measure: its post is shown again unless another case hid it, too. Ending a measure that made a question private publishes
 * nothing.
 * @param actorId null: nobody's act
 * @returns null: it had ended before, or was a warning, which is said once
 */
export async function endMeasure(
  write: Write,
  measureId: number,
  { how, actorId, note }: { how: 'over' | 'lifted' | 'objection'; actorId: number | null; note: string },
) {
  const measure = await write
    .updateTable('measures')
    .from('cases as matter')
    .set({ ended_at: sql`clock_timestamp()`, ended_by: actorId, ended_how: how, end_note: note })
    .where('measures.id', '=', measureId)
    .whereRef('matter.id', '=', 'measures.case_id')
    .where('ended_at', 'is', null)
    .where('kind', '<>', 'warn')
    .returning([
      'case_id',
      'kind',
      'measures.person_id',
      'matter.reason',
      'question_id',
      'answer_id',
      'reply_id',
    ])
    .executeTakeFirst()
  if (measure === undefined) return null
  const { kind, case_id: caseId, person_id: personId, reason } = measure
  if (kind === 'delete' && personId !== null) await restoreDeleted(write, measureId, personId)
  const post = await postOfCase(write, measure)
  if (post !== null && kind === 'hide' && !(await isStillSo(write, post, kind))) await showPost(write, post)
  if (post !== null && kind === 'close' && !(await isStillSo(write, post, kind)))
    await write
      .updateTable('questions')
      .set({ answers_closed_at: null })
      .where('id', '=', post.questionId)
      .where('closing_reason', 'is', null)
      .execute()
  // What waited to be let through as it was taken away waits again: only who answers an objection says that it may be shown.
  if (post !== null && isTakingAway(kind) && how === 'objection') await releasePost(write, post, actorId)
  return { caseId, personId, reason }
}

/**
 * Restores what a measure deleted, at that very microsecond, and not what its author had deleted before. What a later one in force would
 * have deleted stays so, by that one from now on: its end restores it.
 */
async function restoreDeleted(write: Write, measureId: number, personId: number): Promise<void> {
  const startsAt = sql`(select starts_at from measures where id = ${measureId})`
  const deleted = sql`post.deleted_at = ${startsAt} and post.purged_at is null`
  for (const table of POST_TABLES)
    await sql`
      update ${sql.table(table)} as post set deleted_at = later.starts_at
      from questions as q, measures as later join cases as matter on matter.id = later.case_id
      where post.author_id = ${personId} and ${deleted} and q.id = ${questionIdOf(table)}
        and later.kind = 'delete' and later.ended_at is null and later.starts_at > ${startsAt} and later.person_id = ${personId}
        and (matter.${sql.ref(KINDS[table].column)} = post.id
          or (matter.about = 'person' and (later.course_id is null or later.course_id = q.course_id)))`.execute(
      write,
    )
  const posts = await postsOf(write, { personId, courseId: null }, deleted)
  for (const post of posts) await restorePost(write, post)
}

export const isTakingAway = (kind: MeasureKind) => kind === 'hide' || kind === 'delete'

/** Whether a measure of another case does the same to this post, or to its question. */
async function isStillSo(write: Write, post: CasePost, kind: 'hide' | 'close'): Promise<boolean> {
  const isSame =
    kind === 'hide'
      ? sql`matter.${sql.ref(KINDS[post.table].column)} = ${post.id}`
      : sql`${questionOfMatter} = ${post.questionId}`
  const { rows } = await sql<{ isSo: boolean }>`select ${measureHolds(kind, isSame)} as "isSo"`.execute(write)
  return rows[0]?.isSo === true
}

/** How what was decided about was found, as the statement of reasons has it. */
export const foundHow = (
  t: Translate,
  {
    is_found_by_machine: isByMachine,
    is_reported: isReported,
  }: Pick<Row<'cases'>, 'is_found_by_machine' | 'is_reported'>,
) => t(`standing.found.${isByMachine ? 'machine' : isReported ? 'report' : 'staff'}`)

/** A kind in the keys of messages. */
export const wordOf = (kind: MeasureKind) => (kind === 'reset-name' ? 'resetName' : kind)

/** 'Answer hidden', 'Suspended in REST'. */
export function measureTitle(
  t: Translate,
  { kind, is_everywhere, about }: Pick<MeasureRow, 'kind' | 'is_everywhere' | 'about'>,
  course: string | null,
): string {
  if (kind === 'hide' || kind === 'delete') return t(`measures.${kind}.${about}`)
  if (kind !== 'suspend') return t(`measures.${wordOf(kind)}`)
  return is_everywhere || course === null
    ? t('measures.suspend.everywhere')
    : t('measures.suspend.course', { course })
}

/** The measures by their weight: of a decision that took several, the first names it. */
export const BY_WEIGHT: readonly MeasureKind[] = [
  'delete',
  'hide',
  'private',
  'close',
  'suspend',
  'reset-name',
  'warn',
]

export const isRemoval = ({ kind }: Pick<MeasureRow, 'kind'>) => kind === 'hide' || kind === 'delete'

/** 'Your question was hidden': a decision as the person it is about is told it. */
export function decidedSentence(t: Translate, kind: MeasureKind, about: CaseAbout): string {
  return t(`decided.told.${wordOf(kind)}`, { about })
}

/**
 * 'Answer to “Which tests count?”', 'A question you reported on Nov 28, 2026, 14:05'.
 * @param title of its question; null: who reported it may not read that, or it is a profile
 * @param at when they reported it
 */
export const reportedPost = (t: Translate, about: CaseAbout, title: string | null, at: string) =>
  title === null
    ? t('notifications.reported.untitled', { post: t(`myReport.about.${about}`), at })
    : t(`cases.about.${about}`, { title })

/**
 * As pages show it: views/cases/_measure.eta. `endedText` null: it is in force, or was a warning; `endPath` null: it isn't in force, or
 * too old to be undone.
 */
export function measureView(
  t: Translate,
  measure: MeasureRow,
  { timeZone, now }: { readonly timeZone: string; readonly now: Date },
) {
  const { id, kind, starts_at: startsAt, ended_at: endedAt, ends_at: endsAt } = measure
  const isInForce = kind !== 'warn' && endedAt === null && (endsAt === null || endsAt > now)
  const ended = measure.ended_how ?? (kind === 'warn' || isInForce ? null : 'over')
  const until = endedAt ?? endsAt
  /**
   * Whether all posts of an account were deleted too long ago for staff to restore them. An objection still
   * can.
   */
  const isTooOld = kind === 'delete' && measure.about === 'person' && keptUntil(startsAt) <= now
  return {
    id,
    title: measureTitle(t, measure, measure.course_title),
    isInForce,
    endedText: ended && t(`measures.ended.${ended}`),
    since: writtenMoment(startsAt, timeZone, t),
    until: until && writtenMoment(until, timeZone, t),
    hasEnd: kind !== 'warn',
    endPath: isInForce && !isTooOld ? `/measures/${id}/end` : null,
  }
}

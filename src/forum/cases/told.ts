import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { canSignIn } from '../../kernel/rights/person.ts'
import { isCourseReadableByPerson, isReadableByPerson } from '../../kernel/rights/visibility.ts'
import { couldHandle, isHandledByPerson, joinHandler } from '../handling/handlers.ts'
import { caseOfObjection, questionOfMatter } from '../handling/in-force.ts'
import { heldPosts } from '../telling/held.ts'
import { BY_WEIGHT } from './measures.ts'
import { isToldLast } from './outcomes.ts'

/**
 * Whether the person of alias `person` is still to be told what `notice` says of the case of alias `matter`: that it waits, while it
 * does and is theirs to handle; that somebody objected; what became of a report; what was decided about them.
 */
export const caseStillHolds: RawBuilder<boolean> = sql<boolean>`case notice.reason
  when 'case' then matter.state = 'open' and ${isHandledByPerson}
  when 'objection' then ${isHandledByPerson} and exists (
    select from objections where objections.answered_at is null and ${caseOfObjection} = matter.id)
  when 'report' then matter.state <> 'open'
  else matter.person_id = person.id end`

/** The joins that caseStillHolds needs beside `notice` and `person`. */
export const joinCase: RawBuilder<unknown> = sql`join cases as matter on matter.id = notice.case_id ${joinHandler}`

/** The question that the post of a case belongs to, for those who may read it; askers keep the title of what was deleted of theirs. */
const questionOfCase = sql`
  select jsonb_build_object('id', q.id, 'title', q.title, 'audience', q.audience) as question
  from questions as q
  join courses as course on course.id = q.course_id
  left join course_members as member on member.course_id = q.course_id and member.person_id = person.id
  where q.id = ${questionOfMatter}
    and (${isReadableByPerson} or (notice.reason <> 'report' and q.author_id = person.id and q.purged_at is null and ${isCourseReadableByPerson}))`

/** The measure that is told of: the one whose objection was answered, the one that ended last, or the weightiest. */
const measureOfCase = sql`
  select jsonb_build_object('id', measure.id, 'kind', measure.kind, 'is_everywhere', measure.is_everywhere,
    'hasEnded', measure.ended_at is not null, 'outcome', objections.outcome) as measure
  from measures as measure left join objections on objections.measure_id = measure.id
  where measure.case_id = matter.id
  order by case notice.reason when 'objected' then objections.answered_at when 'measure' then measure.ended_at end desc nulls last,
    array_position(${[...BY_WEIGHT]}::text[], measure.kind) limit 1`

/** The reader's report, and what was answered to their objection to its outcome. */
const reportOfCase = sql`
  select reports.id, reports.reported_at, objections.outcome, case when objections.outcome is not null then objections.answer end as answer
  from reports left join objections on objections.report_id = reports.id
  where reports.case_id = matter.id and reports.person_id = person.id
  order by objections.id is null, reports.id desc limit 1`

/** What `notice` says of case `matter`, a ToldCase, and the joins that it needs. */
export const caseSaid = sql`jsonb_build_object('id', matter.id, 'state', matter.state,
  'about', matter.about, 'ground', matter.reason, 'measure', decided.measure,
  'note', case when notice.reason = 'report' then coalesce(mine.answer, matter.reporter_note) else '' end,
  'question', about.question, 'report', mine.id, 'reportedAt', mine.reported_at, 'reply', mine.outcome)`
export const caseParts = sql`
  left join lateral (${questionOfCase}) as about on notice.reason in ('report', 'measure', 'objected')
  left join lateral (${reportOfCase}) as mine on notice.reason = 'report'
  left join lateral (${measureOfCase}) as decided on notice.reason in ('report', 'measure', 'objected')`

/** How many things about cases the person of alias `person` was told and has not seen. */
export const unseenOfCases: RawBuilder<number> = sql<number>`(
  select count(*) from notifications as notice ${joinCase}
  left join courses as course on course.id = matter.course_id
  where notice.person_id = person.id and notice.case_id is not null and notice.seen_at is null and ${caseStillHolds} and ${isToldLast})::integer`

/** Pairs of a course and how many of its open cases and held posts are for the person of alias `person` to handle, as its staff. */
export const waitingCases: RawBuilder<unknown> = sql`(
  select coalesce(jsonb_agg(jsonb_build_array(course_id, number)), '[]') from (
    select course_id, count(*) as number from (
      select matter.course_id from cases as matter ${joinHandler}
      where matter.state = 'open' and not matter.is_for_admins and matter.course_id is not null and ${isHandledByPerson}
        and (member.role <> 'learner' or person.is_admin)
      union all
      select course_id from (${heldPosts(sql`(person.is_admin or asked.course_id in (
        select course_id from course_members where person_id = person.id and role <> 'learner'))`)}) as held
    ) as waiting group by course_id) as counted)`

const MAX_REPORTED = 200

/** Posts that the person of alias `person` reported, as table, dot and number, while staff have not decided. Uses index reports_person. */
export const reportedPosts: RawBuilder<unknown> = sql`array(
  select coalesce('questions.' || matter.question_id, 'answers.' || matter.answer_id, 'replies.' || matter.reply_id)
  from reports join cases as matter on matter.id = reports.case_id
  where reports.person_id = person.id and matter.state = 'open' and num_nonnulls(matter.question_id, matter.answer_id, matter.reply_id) = 1
  order by reports.id desc limit ${sql.lit(MAX_REPORTED)})`

/**
 * Tells those who may handle cases that they wait, or that an objection does: the staff of the course, or the admins where a case is
 * theirs. Admins aren't told of a course's own cases.
 * @param exceptId whose act it is; null: a visitor's
 */
export async function notifyHandlers(
  write: Write,
  caseIds: readonly number[],
  reason: 'case' | 'objection',
  exceptId: number | null,
): Promise<void> {
  const handlers = sql`join people as person on ${couldHandle} ${joinHandler}
    where matter.id = any(${[...caseIds]}::bigint[]) and person.id is distinct from ${exceptId}::bigint and ${isHandledByPerson}`
  await tell(write, reason, handlers)
}

/** Tells people what became of a case that concerns them, each once; who cannot sign in isn't told. */
export async function notifyOfCase(
  write: Write,
  caseId: number,
  reason: 'report' | 'measure' | 'objected',
  personIds: readonly number[],
): Promise<void> {
  const people = sql`join people as person on ${canSignIn()} and person.id = any(${[...personIds]}::bigint[])
    where matter.id = ${caseId}`
  await tell(write, reason, people)
}

/** Somebody saw what they were told of these cases. */
export async function markCasesSeen(write: Write, personId: number, caseIds: readonly number[]) {
  await write
    .updateTable('notifications')
    .set({ seen_at: sql`now()` })
    .where('person_id', '=', personId)
    .where('case_id', '=', sql<number>`any(${[...caseIds]}::bigint[])`)
    .where('seen_at', 'is', null)
    .execute()
}

/** @param whom the joins and condition of people, of alias `person`, beside the cases, of alias `matter` */
async function tell(write: Write, reason: string, whom: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into notifications as notice (person_id, case_id, reason, since_at, happened_at)
    select person.id, matter.id, ${reason}, clock_timestamp(), clock_timestamp()
    from cases as matter ${whom}
    order by person.id, matter.id for key share of person
    on conflict (person_id, case_id) do update set reason = excluded.reason, happened_at = excluded.happened_at,
      since_at = excluded.since_at, seen_at = null`.execute(write)
}

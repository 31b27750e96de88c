import { type RawBuilder, sql } from 'kysely'
import { isHandledByPerson, joinHandler } from '../handling/handlers.ts'

/**
 * Whether the person of alias `person` is still to be told what `notice` says of the case of alias `matter`: that it waits, while it
 * does and is theirs to handle; that somebody objected; what became of a report; what was decided about them.
 */
export const caseStillHolds: RawBuilder<boolean> = sql<boolean>`case notice.reason
  when 'case' then matter.state = 'open' and ${isHandledByPerson}
  when 'objection' then ${isHandledByPerson} and exists (
    select from measures join objections on objections.measure_id = measures.id
    where measures.case_id = matter.id and objections.answered_at is null)
  when 'report' then matter.state <> 'open'
  else matter.person_id = person.id end`

/** The joins that caseStillHolds needs beside `notice` and `person`. */
export const joinCase: RawBuilder<unknown> = sql`join cases as matter on matter.id = notice.case_id ${joinHandler}`

/** How many things about cases the person of alias `person` was told and has not seen. */
export const unseenOfCases: RawBuilder<number> = sql<number>`(
  select count(*) from notifications as notice ${joinCase}
  where notice.person_id = person.id and notice.case_id is not null and notice.seen_at is null and ${caseStillHolds})::integer`

/** Pairs of a course and how many of its open cases are for the person of alias `person` to handle, as its staff. */
export const waitingCases: RawBuilder<unknown> = sql`(
  select coalesce(jsonb_agg(jsonb_build_array(course_id, number)), '[]') from (
    select matter.course_id, count(*) as number from cases as matter ${joinHandler}
    where matter.state = 'open' and not matter.is_for_admins and matter.course_id is not null and ${isHandledByPerson}
      and (member.role <> 'learner' or person.is_admin)
    group by matter.course_id) as counted)`

/** The most posts of `reportedPosts`. */
const MAX_REPORTED = 200

/** Posts that the person of alias `person` reported, as table, dot and number, while staff have not decided. Uses index reports_person. */
export const reportedPosts: RawBuilder<unknown> = sql`array(
  select coalesce('questions.' || matter.question_id, 'answers.' || matter.answer_id, 'replies.' || matter.reply_id)
  from reports join cases as matter on matter.id = reports.case_id
  where reports.person_id = person.id and matter.state = 'open' and num_nonnulls(matter.question_id, matter.answer_id, matter.reply_id) = 1
  order by reports.id desc limit ${sql.lit(MAX_REPORTED)})`

import { randomBytes } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Write } from '../../database/schema.ts'

/**
 * The outcomes of the reports that somebody made in a course are told together: by one entry of the bell, which grows until the next
 * morning, and by one email then. Aliases `person`, or nulls, and `course`, or nulls.
 * @param at when staff decided
 */
const toldBy = (at: RawBuilder<unknown>) =>
  sql<Date>`next_mail_at('daily', coalesce(person.time_zone, course.time_zone, 'UTC'), ${at})`

/** Where clocks go back. */
const LONGEST_DAY = sql`interval '25 hours'`

/** Whether no later notification stands in the bell for what `notice` says of case `matter` as well. */
export const isToldLast: RawBuilder<boolean> = sql<boolean>`(notice.reason <> 'report' or not exists (
  select from notifications as later join cases as other on other.id = later.case_id
  where later.person_id = notice.person_id and later.reason = 'report' and other.state <> 'open'
    and (later.happened_at, later.id) > (notice.happened_at, notice.id)
    and later.happened_at < notice.happened_at + ${LONGEST_DAY} and later.happened_at < ${toldBy(sql`notice.happened_at`)}
    and other.course_id is not distinct from matter.course_id))`

/** Posts that one entry of the bell names, and one email. */
export const MAX_TOGETHER = 100

/**
 * What `notice`, the last of them, tells together with others, as a table `bundle`: `reported`, the latest of each post as JSON, and their
 * number.
 * @param said what one says, of `notice` and `matter`
 * @param parts the joins that it needs
 */
export const joinTogether = (
  said: RawBuilder<unknown>,
  parts: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  cross join lateral (select notice.reason, notice.happened_at as at, matter.course_id, ${toldBy(sql`notice.happened_at`)} as until) as last
  left join lateral (
    select jsonb_agg(said order by at desc, id desc) as reported, max(number) as number from (
      select *, count(*) over () as number from (
        select distinct on (matter.subject) notice.happened_at as at, notice.id, ${said} as said
        from notifications as notice join cases as matter on matter.id = notice.case_id ${parts}
        where notice.person_id = person.id and notice.reason = 'report' and matter.state <> 'open'
          and notice.happened_at between last.at - ${LONGEST_DAY} and last.at and ${toldBy(sql`notice.happened_at`)} = last.until
          and matter.course_id is not distinct from last.course_id
        order by matter.subject, notice.happened_at desc, notice.id desc) as each_post
      order by at desc, id desc limit ${sql.lit(MAX_TOGETHER)}) as latest) as bundle on last.reason = 'report'`

/** Has an email tell what became of these reports. */
export async function noteOutcomes(write: Write, reportIds: readonly number[]): Promise<void> {
  await sql`
    update reports set outcome_due_at = ${toldBy(sql`now()`)}
    from reports as told join cases as matter on matter.id = told.case_id
    left join people as person on person.id = told.person_id left join courses as course on course.id = matter.course_id
    where reports.id = told.id and told.id = any(${[...reportIds]}::bigint[])`.execute(write)
}

/** One report of each reporter and course whose outcomes are due, as enqueueDue takes them. Uses index reports_outcome_due. */
export const dueOutcomes: RawBuilder<unknown> = sql`
  select 'outcome-' || min(reports.id) as key, min(outcome_due_at) as at
  from reports join cases as matter on matter.id = reports.case_id
  where outcome_due_at <= now()
  group by coalesce(reports.person_id::text, reports.visitor_email, reports.id::text), matter.course_id`

/**
 * What is due with a report, which is due no longer: one report for each post. Who objected to an outcome knows it.
 * @returns the reports to tell of
 */
export async function takeOutcomes(write: Write, reportId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with due as (
      select mine.id from reports as named join cases as matter on matter.id = named.case_id
      join reports as mine on mine.id = named.id or mine.person_id = named.person_id or mine.visitor_email = named.visitor_email
      join cases as other on other.id = mine.case_id and other.course_id is not distinct from matter.course_id
      where named.id = ${reportId} and mine.outcome_due_at <= now()
      order by mine.id limit ${MAX_TOGETHER} for update of mine),
    told as (
      update reports set outcome_due_at = null from due where reports.id = due.id returning reports.id, reports.case_id)
    select distinct on (matter.subject) told.id from told join cases as matter on matter.id = told.case_id
    where not exists (select from objections where objections.report_id = told.id)
    order by matter.subject, told.id desc`.execute(write)
  return rows.map(({ id }) => id).toSorted((one, other) => one - other)
}

/** The pages of reports of one reporter, by id: a visitor's by a token, which is made with the first email. */
export async function reportPaths(write: Write, reportIds: readonly number[], isVisitors: boolean) {
  if (!isVisitors) return new Map(reportIds.map((id) => [id, `/reports/${id}`]))
  const tokens = reportIds.map(() => randomBytes(18).toString('base64url'))
  const { rows } = await sql<{ id: number; token: string }>`
    update reports set mail_token = coalesce(mail_token, fresh.token)
    from unnest(${[...reportIds]}::bigint[], ${tokens}::text[]) as fresh (id, token)
    where reports.id = fresh.id returning reports.id, mail_token as token`.execute(write)
  return new Map(rows.map(({ id, token }) => [id, `/reports/by-mail/${token}`]))
}

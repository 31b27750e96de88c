import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Duration, durationOf } from './duration.ts'

/** Within how many hours a course's staff mean to answer, and how long their first word took of late. */
export interface ResponsePromise {
  readonly promised: Duration
  /** The median of the last 30 days, of questions that were asked here; null: too few questions say nothing. */
  readonly median: Duration | null
}

const DAYS = 30
const FEWEST = 5

/** null: the course promises nothing. Index: questions_of_course. */
export async function responsePromise(db: Database, courseId: number): Promise<ResponsePromise | null> {
  const { rows } = await sql<{ promise_hours: number | null; median: number | null; answered: number }>`
    select course.promise_hours, recent.median, recent.answered::integer
    from courses as course
    cross join lateral (
      select count(*) as answered, percentile_cont(0.5) within group (
        order by extract(epoch from desk.first_staff_at - q.written_at) / 3600) as median
      from questions as q join question_desk as desk on desk.question_id = q.id
      where course.promise_hours is not null and q.course_id = course.id and q.deleted_at is null
        and q.written_at > now() - make_interval(days => ${sql.lit(DAYS)}) and desk.first_staff_at is not null
        and not exists (select from imported_posts where question_id = q.id)
    ) as recent
    where course.id = ${courseId}`.execute(db)
  const [row] = rows
  if (row === undefined || row.promise_hours === null) return null
  return {
    promised: durationOf(row.promise_hours),
    median: row.median === null || row.answered < FEWEST ? null : durationOf(Math.max(0, row.median)),
  }
}

/** @param hours null: nothing is promised any more */
export async function setPromise(db: Database, courseId: number, hours: number | null): Promise<void> {
  await db.updateTable('courses').set({ promise_hours: hours }).where('id', '=', courseId).execute()
}

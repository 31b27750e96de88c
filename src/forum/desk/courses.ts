import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Reach } from '../../rights/rights.ts'
import { MAX_COUNTED } from './queries.ts'

/** Courses shown to an admin of very many. */
const MAX_SHOWN = 200

/** The courses whose desk somebody works at, those where most waits first; archived ones wait for nobody. There are few courses. */
export async function deskCourses(db: Database, { isAll, courseIds }: Reach) {
  const { rows } = await sql<{ slug: string; title: string; isArchived: boolean; waitingCount: number }>`
    select course.slug, course.title, course.archived_at is not null as "isArchived", (select count(*) from (
      select from question_desk as desk where desk.course_id = course.id and course.archived_at is null and desk.waiting_since is not null
        and (desk.snoozed_until is null or desk.snoozed_until <= now()) limit ${sql.lit(MAX_COUNTED)}) as waiting
    )::integer as "waitingCount"
    from courses as course where ${isAll ? sql`true` : sql`course.id = any(${courseIds})`}
    order by "isArchived", "waitingCount" desc, course.title, course.id limit ${sql.lit(MAX_SHOWN)}`.execute(
    db,
  )
  return rows
}

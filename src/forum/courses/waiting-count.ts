import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** More are not counted one by one. */
export const MAX_COUNTED = 1000

/** How many questions of a course wait for its staff, MAX_COUNTED at most; none of an archived one. Index: question_desk_waiting. */
export async function waitingCount(db: Database, courseId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from question_desk where course_id = ${courseId} and waiting_since is not null
        and (snoozed_until is null or snoozed_until <= now())
        and exists (select from courses where id = ${courseId} and archived_at is null)
      limit ${sql.lit(MAX_COUNTED)}) as waiting`.execute(db)
  return rows[0]?.count ?? 0
}

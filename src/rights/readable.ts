import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import type { Actor } from './rights.ts'
import { visibleTo } from './visibility.ts'

/** The courses that somebody may read, as lists over many courses need to know them. */
export interface ReadableCourses {
  readonly ids: readonly number[]
  /** There are no others. */
  readonly isAll: boolean
  /** How many of all questions they hold, 0 to 1. */
  readonly share: number
}

/**
 * One small query: there are far fewer courses than questions.
 * @param narrowed a condition on `course` to leave others out
 */
export async function readableCourses(
  db: Database,
  viewer: Actor | null,
  narrowed: RawBuilder<boolean> = sql`true`,
): Promise<ReadableCourses> {
  const isRead = sql`${visibleTo(viewer)} and ${narrowed}`
  const { rows } = await sql<{ ids: number[]; isAll: boolean; readable: number; total: number }>`
    select coalesce(jsonb_agg(course.id) filter (where ${isRead}), '[]') as ids,
      coalesce(bool_and(${isRead}), true) as "isAll",
      coalesce(sum(questions_count) filter (where ${isRead}), 0)::bigint as readable,
      coalesce(sum(questions_count), 0)::bigint as total
    from courses as course`.execute(db)
  const { ids, isAll, readable, total } = rows[0] ?? { ids: [], isAll: false, readable: 0, total: 0 }
  return { ids, isAll, share: total === 0 ? 0 : readable / total }
}

import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { visibleTo } from './visibility.ts'

/** The courses with questions that somebody may read, as lists over many courses need to know them. */
export interface ReadableCourses {
  readonly ids: readonly number[]
  /** How many of all questions they hold, 0 to 1. */
  readonly share: number
}

/**
 * One small query: there are far fewer courses than questions.
 * @param slug only this course; null: all
 */
export async function readableCourses(
  db: Database,
  viewer: Actor | null,
  slug: string | null = null,
): Promise<ReadableCourses> {
  const isAsked =
    slug === null ? visibleTo(viewer) : sql<boolean>`${visibleTo(viewer)} and course.slug = ${slug}`
  const { rows } = await sql<{ ids: number[]; readable: number; total: number }>`
    select coalesce(jsonb_agg(course.id) filter (where ${isAsked}), '[]') as ids,
      coalesce(sum(questions_count) filter (where ${isAsked}), 0)::bigint as readable,
      coalesce(sum(questions_count), 0)::bigint as total
    from courses as course where questions_count > 0`.execute(db)
  const { ids, readable, total } = rows[0] ?? { ids: [], readable: 0, total: 0 }
  return { ids, share: total === 0 ? 0 : readable / total }
}

import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { visibleTo } from './visibility.ts'

/** The courses with questions that somebody may read, as lists over many courses need to know them. */
export interface ReadableCourses {
  readonly ids: readonly number[]
  /** How many of all questions they hold. Few: a list must not look for them among all the others. */
  readonly share: 'all' | 'most' | 'few'
}

/** Less than one in so many is few. */
const FEW = 20

/** One small query: there are far fewer courses than questions. */
export async function readableCourses(db: Database, viewer: Actor | null): Promise<ReadableCourses> {
  const { rows } = await sql<{ ids: number[]; readable: number; total: number }>`
    select coalesce(jsonb_agg(course.id) filter (where ${visibleTo(viewer)}), '[]') as ids,
      coalesce(sum(questions_count) filter (where ${visibleTo(viewer)}), 0)::bigint as readable,
      coalesce(sum(questions_count), 0)::bigint as total
    from courses as course where questions_count > 0`.execute(db)
  const { ids, readable, total } = rows[0] ?? { ids: [], readable: 0, total: 0 }
  return { ids, share: readable === total ? 'all' : readable * FEW < total ? 'few' : 'most' }
}

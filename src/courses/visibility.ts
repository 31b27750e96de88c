import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../rights.ts'

/**
 * Whether somebody may read a course, as a condition on the table or alias `course`: the same rule as
 * `may(viewer, 'read', place)` of rights.ts, said in SQL for lists.
 */
export function visibleTo(viewer: Actor | null): RawBuilder<boolean> {
  if (viewer?.isAdmin === true) return sql<boolean>`true`
  const own = Object.keys(viewer?.roles ?? {}).map(Number)
  return own.length === 0
    ? sql<boolean>`course.is_public`
    : sql<boolean>`(course.is_public or course.id = any(${own}))`
}

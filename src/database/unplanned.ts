import { type RawBuilder, sql } from 'kysely'

/**
 * Arrays that the planner does not see: one plan serves them all, however many values there are. Of arrays that it sees, PostgreSQL plans each
 * again, since fewer values look cheaper than the ten it assumes; for a small statement that takes longer than running it.
 */
export function unplannedIds(ids: readonly number[]): RawBuilder<number[]> {
  return sql`(select ${ids}::bigint[])::bigint[]`
}

export function unplannedTexts(texts: readonly (string | null)[]): RawBuilder<string[]> {
  return sql`(select ${texts}::text[])::text[]`
}

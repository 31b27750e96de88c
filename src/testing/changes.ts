import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/** What is noted of something that wasn't done, too: that it was tried, that somebody was there, what was typed. */
const UPKEEP: ReadonlySet<string> = new Set([
  'tries',
  'sessions',
  'posted_once',
  'kept_forms',
  'answered_challenges',
])

/** A digest of all rows of each table. */
export type Content = ReadonlyMap<string, string>

/** @returns looks at what is in the tables of a forum, in one statement */
export async function lookOf(db: Database): Promise<() => Promise<Content>> {
  const tables = (await db.introspection.getTables()).filter(
    ({ isView, name }) => !isView && !UPKEEP.has(name),
  )
  const names = tables.map(({ name }) => name).sort()
  const each = names.map(
    (name) => sql`select ${name} as name, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as digest
      from ${sql.table(name)} t`,
  )
  const all = sql<{ name: string; digest: string }>`${sql.join(each, sql` union all `)}`
  return async () => new Map((await all.execute(db)).rows.map(({ name, digest }) => [name, digest]))
}

/** The tables that something was written to between two looks. */
export const differing = (before: Content, after: Content) =>
  [...after]
    .filter(([name, digest]) => before.get(name) !== digest)
    .map(([name]) => name)
    .sort()

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
  return () => contentOf(db, names)
}

/**
 * @returns looks within transactions that are rolled back to what is there now. They read only tables that something was written
 * to in them, which the server counts: to read all takes it longer than most forms do
 */
export async function lookWhileUndone(db: Database): Promise<() => Promise<Content>> {
  const before = await (await lookOf(db))()
  return async () => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        and pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
          + pg_stat_get_xact_tuples_deleted(oid) > 0
      order by 1`.execute(db)
    const written = rows.map(({ name }) => name).filter((name) => before.has(name))
    return new Map([...before, ...(await contentOf(db, written))])
  }
}

async function contentOf(db: Database, tables: readonly string[]): Promise<Content> {
  if (tables.length === 0) return new Map()
  const each = tables.map(
    (name) => sql`select ${name} as name, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as digest
      from ${sql.table(name)} t`,
  )
  const { rows } = await sql<{ name: string; digest: string }>`${sql.join(each, sql` union all `)}`.execute(
    db,
  )
  return new Map(rows.map(({ name, digest }) => [name, digest]))
}

/** The tables that something was written to between two looks. */
export const differing = (before: Content, after: Content) =>
  [...after]
    .filter(([name, digest]) => before.get(name) !== digest)
    .map(([name]) => name)
    .sort()

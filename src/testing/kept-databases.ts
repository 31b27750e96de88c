import { sql } from 'kysely'
import { againConnected, useOf } from '../database/connection.ts'
import { RECORD_TABLES } from '../database/migrations/files.ts'
import type { Database } from '../database/schema.ts'

/** A copy of the template that tests use in turn. Its connections stay open, and the server has read its catalogs already. */
export interface KeptDatabase {
  readonly name: string
  readonly url: string
  /** The shortest way to it. */
  readonly address: string
  readonly db: Database
  /** A connection of its own with the settings of `CLEANING`, to empty it. */
  readonly cleaner: Database
  /** The transaction before the first test. */
  readonly copied: string
  /** How its schema was then. */
  readonly schema: string
}

/**
 * Neither triggers nor references: nobody counts what goes, and nobody is told. For a whole session, as to change this makes a
 * connection forget its plans, and to make those takes the server longer than to delete rows.
 */
export const CLEANING = { session_replication_role: 'replica' } as const

/** What another schema, other statistics of the planner, or settings of the database change. */
const CATALOGS =
  'pg_attrdef pg_attribute pg_class pg_constraint pg_enum pg_index pg_proc pg_statistic_ext pg_trigger pg_type'.split(
    ' ',
  )

/** A table keeps the room of deleted rows: after more of them, plans and times differ from those in a new copy. */
const MAX_ROWS = 3000

/** Notes how a new copy of the template is, to tell later whether a test changed more than rows. */
export async function noted(copy: Omit<KeptDatabase, 'copied' | 'schema'>): Promise<KeptDatabase> {
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::xid::text as xid`.execute(
    copy.cleaner,
  )
  const copied = rows[0]?.xid ?? ''
  return { ...copy, copied, schema: (await stateOf(copy.cleaner, copied)).schema }
}

/**
 * Deletes all rows, so that the next test finds the database as it was copied.
 * @returns it, with another object for its connections, as caches of what is in a database go by that object;
 *   null: more than rows was changed, or somebody uses it still
 */
export async function emptied(kept: KeptDatabase): Promise<KeptDatabase | null> {
  const { db, cleaner } = kept
  const use = useOf(db)
  if (use.idle !== use.open || use.waiting > 0) return null
  const { schema, sessions, filled } = await stateOf(cleaner, kept.copied)
  if (schema !== kept.schema || sessions !== use.open + useOf(cleaner).open) return null
  const deleted = await cleaner.transaction().execute(async (write) => {
    let rows = 0n
    for (const table of filled)
      rows += (await sql`delete from ${sql.table(table)}`.execute(write)).numAffectedRows ?? 0n
    await sql`
      select setval(seqrelid, seqstart, false) from pg_sequence
      where pg_sequence_last_value(seqrelid) is not null`.execute(write)
    return rows
  })
  return deleted > MAX_ROWS ? null : { ...kept, db: againConnected(db) }
}

interface State {
  readonly schema: string
  /** Sessions in the database. */
  readonly sessions: number
  /** Tables with rows. */
  readonly filled: readonly string[]
}

let tables: Promise<readonly string[]> | null = null

async function stateOf(db: Database, copied: string): Promise<State> {
  tables ??= tablesOf(db)
  const counts = CATALOGS.map((name) =>
    sql.raw(
      `(select row(count(*), count(*) filter (where age(xmin) <= age('${copied}'::xid))) from ${name})`,
    ),
  )
  const filled = (await tables).map((name) =>
    sql.raw(`case when exists (select from "${name}") then '${name}' end`),
  )
  const { rows } = await sql<State>`
    select
      concat_ws(' ', ${sql.join(counts)},
        (select sum(reltuples) from pg_class where relkind in ('r', 'i')),
        (select string_agg(setconfig::text, ' ') from pg_db_role_setting
          where setdatabase = (select oid from pg_database where datname = current_database())),
        (select md5(string_agg(concat(name, hash), ' ' order by name)) from kysely_migration)) as schema,
      (select count(*) from pg_stat_activity where datname = current_database()) as sessions,
      array_remove(array[${sql.join(filled)}], null) as filled`.execute(db)
  const [state] = rows
  if (state === undefined) throw new Error('select without from gives one row')
  return state
}

async function tablesOf(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`.execute(db)
  return rows.map(({ name }) => name).filter((name) => !RECORD_TABLES.includes(name))
}

import { sql } from 'kysely'
import type { Write } from '../database/schema.ts'
import type { Identity } from './manifest.ts'

export interface Table {
  readonly name: string
  /** Those that are not generated from others, in their order. */
  readonly columns: readonly string[]
}

/**
 * The tables that belong into a backup: all but the migrator's own, and those that are left out on purpose.
 * - Whoever holds a token is let in: sessions, links that sign in or reset a password, what somebody typed before
 *   signing in. Such tables are known by their column token_hash.
 * - Mails, as there are such links in them; those that wait have been sent by the time of a restore, mostly.
 * - Unlogged tables hold what may be lost in a crash, such as who viewed what today; so it may be in a restore.
 */
export async function tablesToKeep(db: Write): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select t.relname as name, array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
      and t.relpersistence = 'p' and t.relname not in ('kysely_migration', 'kysely_migration_lock', 'mails')
    group by t.relname having bool_and(a.attname <> 'token_hash') order by t.relname`.execute(db)
  return rows
}

/** The last id each identity column gave. At least as high as any id in the snapshot: sequences know no transactions. */
export async function identitiesOf(db: Write, tables: readonly Table[]): Promise<Identity[]> {
  const { rows } = await sql<Identity>`
    select * from (
      select t.relname as "table", a.attname as "column",
        pg_sequence_last_value(pg_get_serial_sequence(quote_ident(t.relname), a.attname)::regclass) as last
      from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attidentity <> '' and not a.attisdropped
      where t.relnamespace = current_schema()::regnamespace and t.relname = any(${tables.map((table) => table.name)})
    ) as identity where last is not null order by "table", "column"`.execute(db)
  return rows
}

import { sql } from 'kysely'
import { RECORD_TABLES } from '../../database/migrations/files.ts'
import type { Write } from '../../database/schema.ts'
import type { Identity } from './manifest.ts'

export interface Table {
  readonly name: string
  /** Columns that are not generated, in their order. */
  readonly columns: readonly string[]
}

/**
 * The tables of a backup: all except those that record migrations and those left out on purpose.
 * - Tables with credentials: sessions and the browsers that get pushes in them, links that sign in or reset a password, text
 *   typed before sign-in. They are recognized by their column token_hash.
 * - Mail, which contains such links; queued mail is usually sent before a restore.
 * - Which backups were restored: that is about this database, and not in it.
 * - Unlogged tables, whose rows may be lost in a crash, e.g. today's viewers.
 */
export async function tablesToKeep(db: Write): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select t.relname as name, array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
      and t.relpersistence = 'p' and t.relname <> all(${[...RECORD_TABLES, 'mails', 'restores']})
    group by t.relname having bool_and(a.attname <> 'token_hash') order by t.relname`.execute(db)
  return rows
}

/** The last id of each identity column. At least the highest id in the snapshot: sequences are not transactional. */
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

import { sql } from 'kysely'
import { appliedMigrations } from '../../database/migrations/applied.ts'
import { RECORD_TABLES } from '../../database/migrations/files.ts'
import { otherVersion } from '../../database/migrations/refuse.ts'
import type { Database, Write } from '../../database/schema.ts'
import { inOneTransaction, type SingleConnection } from '../../database/single-connection.ts'
import { handupVersion } from '../version.ts'
import { BackupError } from './backup-error.ts'
import type { Identity, Manifest } from './manifest.ts'

/** Maximum retries when migrations change the tables between listing and locking them. */
const MAX_ATTEMPTS = 5

/** Settings that make the text form of values the same on every server. */
const FORMATS = [
  `set local datestyle = 'ISO, YMD'`,
  `set local intervalstyle = 'postgres'`,
  `set local timezone = 'UTC'`,
  `set local bytea_output = 'hex'`,
  `set local extra_float_digits = 1`,
  `set local synchronize_seqscans = off`,
  // An error instead of silently missing rows.
  `set local row_security = off`,
]

/**
 * Gives `work` a consistent snapshot of all tables during concurrent writes. Migrations wait until it ends,
 * at most for their lock timeout.
 */
export async function withSnapshot<Result>(
  { db, url }: { readonly db: Database; readonly url: string },
  work: (connection: SingleConnection, manifest: Manifest) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; tries <= MAX_ATTEMPTS; tries += 1) {
    const tables = await db.transaction().execute(tablesToKeep)
    const result = await inOneTransaction(url, (connection) => look(connection, tables, work), 'snapshot')
    if (result !== null) return result.value
  }
  throw new BackupError('the tables are being changed by migrations: try again when these are done')
}

/**
 * Locks the tables before the first query takes the snapshot: after a migration that rewrote a table, an older snapshot
 * would find it empty (PostgreSQL's manual, "Caveats" of MVCC).
 * @returns null when the tables differ from those locked
 */
async function look<Result>(
  connection: SingleConnection,
  locked: readonly Table[],
  work: (connection: SingleConnection, manifest: Manifest) => Promise<Result>,
): Promise<{ readonly value: Result } | null> {
  const { write } = connection
  for (const format of FORMATS) await sql.raw(format).execute(write)
  if (locked.length > 0) {
    const names = locked.map((table) => sql.table(table.name))
    await sql`lock table ${sql.join(names)} in access share mode`.execute(write)
  }
  const tables = await tablesToKeep(write)
  const isLocked = new Set(locked.map((table) => table.name))
  if (tables.some((table) => !isLocked.has(table.name))) return null
  return { value: await work(connection, await describe(connection, tables)) }
}

/** @throws BackupError when no version could restore what this one writes */
async function describe({ write }: SingleConnection, tables: readonly Table[]): Promise<Manifest> {
  const migrations = await appliedMigrations(write)
  if (migrations.length === 0)
    throw new BackupError('there is nothing to back up: Handup was never started on this database')
  const other = await otherVersion(migrations)
  if (other !== null)
    throw new BackupError(
      other.isOlder
        ? `the database is of a Handup before 0.3.0 (its newest migration is ${other.newest}): back it up with that version`
        : `the database has migrations that this version lacks (the newest is ${other.newest}), and no backup made by it could ` +
            'be restored: back it up with the version that applied them',
    )
  const { rows } = await sql<{ postgres: string; at: Date }>`
    select current_setting('server_version') as postgres, now() as at`.execute(write)
  const counted = []
  for (const { name, columns } of tables) {
    const counts = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
      write,
    )
    counted.push({ name, columns: [...columns], rows: counts.rows[0]?.count ?? 0 })
  }
  return {
    handup: await handupVersion(),
    postgres: rows[0]?.postgres ?? '',
    madeAt: (rows[0]?.at ?? new Date()).toISOString(),
    migrations,
    tables: counted,
    identities: await identitiesOf(write, tables),
  }
}

const LEFT_OUT = ['mails', 'events', 'event_log', 'webhook_deliveries', 'restores']

type Table = Awaited<ReturnType<typeof tablesToKeep>>[number]

/**
 * The tables of a backup: all except those that record migrations and those left out on purpose.
 * - Tables with credentials: sessions and the browsers that get pushes in them, links that sign in or reset a password, text
 *   typed before sign-in. They are recognized by their column token_hash.
 * - Mail, which contains such links; queued mail is usually sent before a restore.
 * - Events, and deliveries of them: a restored forum tells nobody again, and cursors of before have expired there.
 * - Which backups were restored: that is about this database, and not in it.
 * - Unlogged tables, whose rows may be lost in a crash, e.g. today's viewers.
 * @returns `columns`: those that are not generated, in their order
 */
export async function tablesToKeep(db: Write) {
  const { rows } = await sql<{ name: string; columns: readonly string[] }>`
    select t.relname as name, array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
    from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where t.relnamespace = current_schema()::regnamespace and t.relkind = 'r'
      and t.relpersistence = 'p' and t.relname <> all(${[...RECORD_TABLES, ...LEFT_OUT]})
    group by t.relname having bool_and(a.attname <> 'token_hash') order by t.relname`.execute(db)
  return rows
}

/** The last id of each identity column. At least the highest id in the snapshot: sequences are not transactional. */
async function identitiesOf(db: Write, tables: readonly Table[]): Promise<Identity[]> {
  const { rows } = await sql<Identity>`
    select * from (
      select t.relname as "table", a.attname as "column",
        pg_sequence_last_value(pg_get_serial_sequence(quote_ident(t.relname), a.attname)::regclass) as last
      from pg_class as t join pg_attribute as a on a.attrelid = t.oid and a.attidentity <> '' and not a.attisdropped
      where t.relnamespace = current_schema()::regnamespace and t.relname = any(${tables.map((table) => table.name)})
    ) as identity where last is not null order by "table", "column"`.execute(db)
  return rows
}

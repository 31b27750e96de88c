import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { from } from 'pg-copy-streams'
import { dropIndexes, restoreIndexes } from '../../database/bulk.ts'
import { isRefused, isUnavailable } from '../../database/failures.ts'
import { migrate } from '../../database/migrate.ts'
import { appliedMigrations, hasTable } from '../../database/migrations/applied.ts'
import { namesMade } from '../../database/migrations/files.ts'
import { otherVersion } from '../../database/migrations/refuse.ts'
import type { Write } from '../../database/schema.ts'
import { inOneTransaction, type SingleConnection } from '../../database/single-connection.ts'
import { type Member, readArchive } from './archive-reader.ts'
import { BackupError, explainFile } from './backup-error.ts'
import type { CheckedBackup } from './check-backup.ts'
import type { BackedUpTable, Manifest } from './manifest.ts'
import { restoredPictures } from './pictures.ts'
import { RestoredUploads, type UploadTarget } from './restored-uploads.ts'
import { tablesToKeep } from './snapshot.ts'
import type { UploadPlace } from './uploads.ts'

/** Of bytes of the file, then of indexes. */
export interface RestoreProgress {
  begin(step: 'load' | 'indexes', total: number): void
  advance(amount: number): void
}

/**
 * Restores a verified backup in one transaction: creates the tables of the backup's version, fills them, and
 * applies later migrations. Verifies the checksum once more while reading.
 * @returns `leftOut`: tables of the backup that Handup does not know; `isFinished`: the data were there
 * already, of a restore
 *   of this backup that was killed: its pictures were moved to their place, and that is all
 * @throws BackupError when the installation is not empty, or the backup is of a version that this one cannot take; nothing is changed then
 */
export async function restoreBackup(
  target: UploadPlace & { readonly url: string },
  file: CheckedBackup,
  progress: RestoreProgress,
) {
  await refuseOtherVersions(file.manifest)
  const uploads: UploadTarget =
    target.bucket == null ? new RestoredUploads(target.dataDir) : restoredPictures(target.bucket)
  const backup = identityOf(file.manifest)
  if ((await uploads.wasReady?.(backup)) && (await wasCommitted(target.url, backup))) {
    await uploads.finish?.(backup)
    return { leftOut: [], isFinished: true }
  }
  await uploads.refuseUnlessEmpty?.()
  const leftOut = await inOneTransaction(target.url, (connection) =>
    restoreTables(connection, file, uploads, progress),
  ).catch(async (error: unknown) => {
    await uploads.discard()
    throw explainRestore(error, file.path)
  })
  // Only after the commit: uploads of a failed restore would block the next attempt.
  await uploads.keep?.()
  return { leftOut, isFinished: false }
}

/** What tells a backup from every other: what it says of itself, the moment of its snapshot included. */
function identityOf(manifest: Manifest): Buffer {
  return createHash('sha256').update(JSON.stringify(manifest)).digest()
}

/** Whether a backup is in the database already: its restore was killed before its pictures were in place. */
function wasCommitted(url: string, backup: Buffer): Promise<boolean> {
  return inOneTransaction(url, async ({ write }) => {
    if (!(await hasTable(write, 'restores'))) return false
    const known = await write
      .selectFrom('restores')
      .select('restored_at')
      .where('backup_sha256', '=', backup)
      .executeTakeFirst()
    return known !== undefined
  })
}

/**
 * Data that the database refuses make the file invalid: checksums detect damage, not manipulation. File system errors
 * are converted too; other errors are returned as they are.
 */
function explainRestore(error: unknown, path: string): unknown {
  const cause = error instanceof Error && error.cause instanceof pg.DatabaseError ? error.cause : error
  if (!(cause instanceof pg.DatabaseError)) return explainFile(error, path)
  if (isUnavailable(cause) || isRefused(cause)) return error
  return new BackupError(
    `${path} does not fit Handup's tables (${cause.message}): nothing of it was restored`,
    { cause: error },
  )
}

/** @throws BackupError when the backup is of a version that this one can't restore */
async function refuseOtherVersions({ migrations, handup }: Manifest): Promise<void> {
  const other = await otherVersion(migrations)
  if (other === null) return
  throw new BackupError(
    other.isOlder
      ? `the backup was made by Handup ${handup}, before 0.3.0: restore it with Handup 0.3.0, and start this version on that database`
      : `the backup was made by Handup ${handup} with the migration ${other.newest}, which this version lacks: update it first`,
  )
}

async function restoreTables(
  { write, client }: SingleConnection,
  { path, size, manifest }: CheckedBackup,
  uploads: UploadTarget,
  progress: RestoreProgress,
): Promise<string[]> {
  await refuseUnlessEmpty(write)
  await sql`set local datestyle = 'ISO, YMD'`.execute(write)
  await removeTables(write)
  // Functions and triggers come at the end: the rows already hold what triggers derive.
  await migrate(write, { only: manifest.migrations })
  const there = new Set((await tablesToKeep(write)).map((table) => table.name))
  const tables = new Map(manifest.tables.filter((table) => there.has(table.name)).map((t) => [t.name, t]))
  const dropped = await dropIndexes(write, [...tables.keys()], true)
  progress.begin('load', size)
  const load = async ({ name, content }: Member) => {
    const table = name.kind === 'part' ? tables.get(name.table) : undefined
    if (table !== undefined) await pipeline(Readable.from(content), client.query(from(copyInto(table))))
    else if (name.kind === 'upload') await uploads.add(name.path, content)
    else for await (const _ of content);
  }
  await readArchive(path, load, progress.advance)
  for (const { table, column, last } of manifest.identities.filter((identity) => tables.has(identity.table)))
    await sql`select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), ${last})`.execute(write)
  progress.begin('indexes', dropped.length)
  await restoreIndexes(write, dropped, () => progress.advance(1))
  await migrate(write)
  // Perhaps beside the forum that the backup is of, which goes on telling them.
  await write
    .updateTable('webhooks')
    .set({ stopped: 'restored', stopped_at: sql`now()` })
    .where('stopped', 'is', null)
    .execute()
  await write
    .insertInto('restores')
    .values({ backup_sha256: identityOf(manifest) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await sql`analyze ${sql.join((await tablesToKeep(write)).map(({ name }) => sql.table(name)))}`.execute(
    write,
  )
  await uploads.ready?.(identityOf(manifest))
  await sql`select pg_notify('changes', '{"scopes":["*"]}')`.execute(write)
  return manifest.tables.map((table) => table.name).filter((name) => !there.has(name))
}

function copyInto({ name, columns }: BackedUpTable): string {
  return `copy ${pg.escapeIdentifier(name)} (${columns.map((column) => pg.escapeIdentifier(column)).join(', ')}) from stdin`
}

/** An arbitrary key for an advisory lock, unique in this database. */
const LOCK = 7_340_120_622

/**
 * Ensures that a database is an empty installation, and that nobody signs up before the transaction ends: it is empty,
 * or has Handup's tables without people and courses, which all other content belongs to. Other objects in the schema
 * are refused, because removeTables may drop only what is Handup's.
 * @throws BackupError when it is not empty, with what to do instead
 */
async function refuseUnlessEmpty(write: Write): Promise<void> {
  // The second of two concurrent restores then finds the data of the first.
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(write)
  const names = await namesIn(write)
  if (names.length === 0) return
  const isStarted = (await appliedMigrations(write)).length > 0
  const own = isStarted ? await namesMade() : new Set()
  const strange = names.filter((name) => !own.has(name))
  if (strange.length > 0)
    throw new BackupError(
      `the database holds what is not Handup's (${strange.slice(0, 3).join(', ')}): give Handup one of its own`,
    )
  await sql`lock table people, courses in access exclusive mode`.execute(write)
  const { rows } = await sql<{ people: number; courses: number }>`
    select (select count(*) from people) as people, (select count(*) from courses) as courses`.execute(write)
  const [found] = rows
  if (found !== undefined && found.people + found.courses > 0)
    throw new BackupError(
      `the database is in use (accounts: ${found.people}, courses: ${found.courses}). A backup goes into an empty one: ` +
        'set DATA_DIR to a new folder, or DATABASE_URL to a new database',
    )
}

/**
 * Drops Handup's tables, functions and types, so that they are created as the backup needs them. Other
 * schemas and members of extensions stay.
 */
async function removeTables(write: Write): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('drop table %s cascade', oid::regclass) as statement from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
    union all
    select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc as p
    where pronamespace = current_schema()::regnamespace and not exists (
      select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e')
    union all
    select format('drop type if exists %s cascade', oid::regtype) from pg_type as t
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd') and not exists (
      select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')`.execute(
    write,
  )
  for (const { statement } of rows) await sql.raw(statement).execute(write)
}

/** Tables, views, sequences, functions and types of the schema, except members of extensions and types of tables. */
async function namesIn(write: Write): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with inside as (select classid, objid from pg_depend where deptype in ('e', 'i', 'a'))
    select relname::text as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from inside where classid = 'pg_class'::regclass and objid = pg_class.oid)
    union select proname from pg_proc
    where pronamespace = current_schema()::regnamespace
      and not exists (select from inside where classid = 'pg_proc'::regclass and objid = pg_proc.oid)
    union select typname from pg_type
    where typnamespace = current_schema()::regnamespace and typtype in ('e', 'd')
      and not exists (select from inside where classid = 'pg_type'::regclass and objid = pg_type.oid)
    order by name`.execute(write)
  return rows.map((row) => row.name)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isLockedOut } from './failures.ts'
import {
  applied,
  appliedFunctions,
  ensureRecords,
  recordFunctions,
  recordMigrations,
} from './migrations/applied.ts'
import { applyAlone, applyBesideOthers, replaceableOf, replacing } from './migrations/apply.ts'
import { baseline, functionFiles, migrationFiles, type SqlFile, tableFiles } from './migrations/files.ts'
import { MigrationError, refuseOthers } from './migrations/refuse.ts'
import type { Database, Write } from './schema.ts'

interface MigrateOptions {
  /** Of the migrations only those of these names, and no functions: for tables as they are in a backup. */
  readonly only?: readonly string[]
  /** Migrations of another folder, and neither tables nor functions: for tests. */
  readonly folder?: string
}

/**
 * Brings a database to this version: the tables of db/schema where it is new, pending migrations in the order
 * of their numbers, then functions, views and triggers that changed. Each is a transaction of its own, or all
 * are in the given one. Of several processes one migrates, the others wait. A lock timeout or a deadlock is
 * retried, so that nobody waits long.
 * @returns names of what was applied now: `schema` for the tables and functions of a new database
 * @throws MigrationError when the database is of another version; Error naming the migration that failed
 */
export async function migrate(db: Database | Write, options: MigrateOptions = {}): Promise<string[]> {
  if (!(await isBehind(db, options))) return []
  if (db.isTransaction) return bringUp(db, options)
  return exclusively(db as Database, (connection) => bringUp(connection, options))
}

async function isBehind(db: Database | Write, options: MigrateOptions): Promise<boolean> {
  const records = await applied(db)
  await refuseOthers(records, options.folder)
  if (records.length === 0 || (await pendingMigrations(db, options)).length > 0) return true
  return isWhole(options) && (await changedFunctions(db)).length > 0
}

const isWhole = ({ only, folder }: MigrateOptions) => only === undefined && folder === undefined

async function pendingMigrations(db: Database | Write, { only, folder }: MigrateOptions): Promise<SqlFile[]> {
  const names = new Set((await applied(db)).map(({ name }) => name))
  return (await migrationFiles(folder)).filter(
    ({ name }) => !names.has(name) && (only === undefined || only.includes(name)),
  )
}

async function changedFunctions(db: Database | Write): Promise<SqlFile[]> {
  const known = await appliedFunctions(db)
  return (await functionFiles()).filter(({ name, hash }) => known.get(name) !== hash)
}

async function bringUp(db: Database | Write, options: MigrateOptions): Promise<string[]> {
  await ensureRecords(db)
  const isNew = options.folder === undefined && (await applied(db)).length === 0
  if (isNew) await createTables(db)
  const pending = await pendingMigrations(db, options)
  for (const file of pending)
    await naming(file.name, () => apply(db, file.text, (write) => recordMigrations(write, [file])))
  const replaced = isWhole(options) ? await replaceFunctions(db) : []
  const names = pending.map(({ name }) => name)
  return isNew ? ['schema', ...names] : [...names, ...replaced]
}

async function createTables(db: Database | Write): Promise<void> {
  const [files, records] = [await tableFiles(), await baseline()]
  await naming('schema', () => apply(db, textOf(files), (write) => recordMigrations(write, records)))
}

/**
 * Applies all files at once where a new database or one of 0.3.0 has none of them; later the files that
 * changed, with the triggers that are new: one that changes is dropped by a migration.
 */
async function replaceFunctions(db: Database | Write): Promise<string[]> {
  const changed = await changedFunctions(db)
  const isFirst = (await appliedFunctions(db)).size === 0
  const batches = isFirst ? [changed] : changed.map((file) => [file])
  const { rows } = await sql<{ name: string }>`
    select tgname as name from pg_trigger where not tgisinternal`.execute(db)
  const triggers = new Set(rows.map(({ name }) => name))
  for (const files of batches) {
    const text = isFirst ? replacing(textOf(files)) : replaceableOf(textOf(files), triggers)
    const names = files.map(({ name }) => name).join(', ')
    await naming(names, () => apply(db, text, (write) => recordFunctions(write, files)))
  }
  return changed.map(({ name }) => name)
}

const textOf = (files: readonly SqlFile[]) => files.map(({ text }) => text).join('\n')

async function naming(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isLockedOut(error))
      throw new MigrationError(
        `Migration ${name} could not lock its tables for minutes, as a long transaction uses them (a backup, or one ` +
          'that was left open): start again when it has ended; pg_stat_activity names it',
      )
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`Migration ${name} failed: ${reason}`, { cause: error })
  }
}

/** @param done records it, in the transaction of the text or, in steps, of the last one */
async function apply(db: Database | Write, text: string, done: (write: Write) => Promise<void>) {
  if (!db.isTransaction) return applyBesideOthers(db, text, done)
  await applyAlone(db as Write, text)
  await done(db as Write)
}

/** Key of the advisory lock of processes that change the schema: the one of Kysely's migrator, which 0.2.0 used. */
const KEY = sql.lit('3853314791062309107')
const POLL_MS = 100

/** Runs `work` on one connection while no other process changes the schema; others wait. */
function exclusively<Result>(db: Database, work: (connection: Database) => Promise<Result>): Promise<Result> {
  return db.connection().execute(async (connection) => {
    const tried = sql<{ isLocked: boolean }>`select pg_try_advisory_lock(${KEY}) as "isLocked"`
    // Polls: an index that is built concurrently waits for the snapshot of a query that waits for the lock.
    while ((await tried.execute(connection)).rows[0]?.isLocked !== true) await sleep(POLL_MS)
    try {
      return await work(connection)
    } finally {
      // On a broken connection the lock is gone, and this error must not hide the first.
      await sql`select pg_advisory_unlock(${KEY})`.execute(connection).catch(() => {})
    }
  })
}

import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { isLockedOut } from './failures.ts'
import {
  type AppliedMigration,
  applied,
  changedSince,
  ensureRecords,
  notAmong,
  recordMigration,
} from './migrations/applied.ts'
import { MIGRATIONS, type MigrationFile, migrationFiles } from './migrations/files.ts'
import type { Database, Write } from './schema.ts'

/**
 * Lock timeout of a migration: later queries queue behind its lock request, so pages wait as long.
 */
const LOCK_TIMEOUT = sql.lit('500ms')

/** How long a migration is retried, and the delay between retries: a backup locks every table while it runs. */
const RETRY_TIMEOUT_MS = 2 * 60_000
const RETRY_DELAY_MS = 1000

/** Key of the advisory lock of processes that migrate: the one of Kysely's migrator, which 0.2.0 used. */
const LOCK_KEY = sql.lit('3853314791062309107')
const LOCK_POLL_MS = 100

/**
 * The database has migrations that this version lacks, or has applied another text of one: `message` is one line that
 * says what to do.
 */
export class OtherVersionError extends Error {}

export interface MigrateOptions {
  /** Applies only those of these names: for tables as they are in a backup. */
  readonly only?: readonly string[]
  readonly folder?: string
}

/**
 * Applies pending migrations from db/migrations in the order of their numbers, each in a transaction of its own, or all
 * in the given one. Several processes may start at once: one migrates, the others wait. A lock timeout or a deadlock is
 * retried, so that other queries never wait long.
 * @returns names of the migrations applied now
 * @throws OtherVersionError when the database has migrations that this version lacks, or that were changed since
 * @throws Error naming the failed migration; those before it are applied
 */
export async function migrate(
  db: Database | Write,
  { only, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<string[]> {
  const files = await migrationFiles(folder)
  const wanted = only === undefined ? files : files.filter(({ name }) => only.includes(name))
  if (pendingOf(files, wanted, await applied(db)).length === 0) return []
  if (db.isTransaction) return applyPending(db, files, wanted)
  return db.connection().execute(async (connection) => {
    await waitForLock(connection)
    try {
      return await applyPending(connection, files, wanted)
    } finally {
      await sql`select pg_advisory_unlock(${LOCK_KEY})`.execute(connection)
    }
  })
}

/** Polls, as a query that waits for the lock would keep its snapshot, for which an index that is built concurrently waits. */
async function waitForLock(connection: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isLocked: boolean }>`
      select pg_try_advisory_lock(${LOCK_KEY}) as "isLocked"`.execute(connection)
    if (rows[0]?.isLocked === true) return
    await sleep(LOCK_POLL_MS)
  }
}

async function applyPending(
  db: Database | Write,
  files: readonly MigrationFile[],
  wanted: readonly MigrationFile[],
): Promise<string[]> {
  await ensureRecords(db)
  const pending = pendingOf(files, wanted, await applied(db))
  for (const file of pending) {
    await applyRetried(db, file).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`Migration ${file.name} failed: ${reason}`, { cause: error })
    })
  }
  return pending.map(({ name }) => name)
}

function pendingOf(
  files: readonly MigrationFile[],
  wanted: readonly MigrationFile[],
  records: readonly AppliedMigration[],
): MigrationFile[] {
  refuseOtherVersions(files, records)
  const names = new Set(records.map(({ name }) => name))
  return wanted.filter(({ name }) => !names.has(name))
}

function refuseOtherVersions(files: readonly MigrationFile[], records: readonly AppliedMigration[]): void {
  const unknown = notAmong(
    files.map(({ name }) => name),
    records.map(({ name }) => name),
  )
  if (unknown !== null) {
    const names = unknown.names.join(', ')
    throw new OtherVersionError(
      unknown.areOlder
        ? `This database was created by Handup 0.1 (${names}), and no later version can upgrade it: start 0.1, or ` +
            'this version on an empty database'
        : `A newer or unreleased Handup was started on this database (${names}): start that version, or restore a ` +
            'backup made before it into an empty database',
    )
  }
  const changed = changedSince(files, records)
  if (changed.length > 0)
    throw new OtherVersionError(
      `This database has applied another text of ${changed.join(', ')}, which an unreleased Handup had: ` +
        'npm run handup -- repair schema finds what differs',
    )
}

async function applyRetried(db: Database | Write, file: MigrationFile): Promise<void> {
  if (db.isTransaction) return applyFile(db, file)
  for (const end = Date.now() + RETRY_TIMEOUT_MS; ; await sleep(RETRY_DELAY_MS)) {
    try {
      return await db.transaction().execute((write) => applyFile(write, file))
    } catch (error) {
      if (!isLockedOut(error) || Date.now() >= end) throw error
    }
  }
}

async function applyFile(write: Database | Write, file: MigrationFile): Promise<void> {
  await sql`set local lock_timeout = ${LOCK_TIMEOUT}`.execute(write)
  await sql`set local statement_timeout = 0`.execute(write)
  await sql.raw(file.text).execute(write)
  await recordMigration(write, file)
}

import { isLockedOut } from './failures.ts'
import {
  type AppliedMigration,
  applied,
  changedSince,
  ensureRecords,
  recordMigration,
} from './migrations/applied.ts'
import { applyAlone, applyBesideOthers } from './migrations/apply.ts'
import { MIGRATIONS, type MigrationFile, migrationFiles } from './migrations/files.ts'
import { exclusively } from './migrations/lock.ts'
import { MigrationError, refuseUnknown } from './migrations/refuse.ts'
import type { Database, Write } from './schema.ts'

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
 * @throws MigrationError when the database has migrations that this version lacks, or that were changed since
 * @throws Error naming the failed migration; those before it are applied
 */
export async function migrate(
  db: Database | Write,
  { only, folder = MIGRATIONS }: MigrateOptions = {},
): Promise<string[]> {
  const files = await migrationFiles(folder)
  const wanted = only === undefined ? files : files.filter(({ name }) => only.includes(name))
  if (pendingOf(files, wanted, await applied(db)).length === 0) return []
  if (isTransaction(db)) return applyPending(db, files, wanted)
  return exclusively(db, (connection) => applyPending(connection, files, wanted))
}

async function applyPending(
  db: Database | Write,
  files: readonly MigrationFile[],
  wanted: readonly MigrationFile[],
): Promise<string[]> {
  await ensureRecords(db)
  const pending = pendingOf(files, wanted, await applied(db))
  for (const file of pending) {
    await applyFile(db, file).catch((error: unknown) => {
      throw explain(error, file.name)
    })
  }
  return pending.map(({ name }) => name)
}

function explain(error: unknown, name: string): Error {
  if (isLockedOut(error))
    return new MigrationError(
      `Migration ${name} could not lock its tables for minutes, as a long transaction uses them (a backup, or one ` +
        'that was left open): start again when it has ended; pg_stat_activity names it',
    )
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`Migration ${name} failed: ${reason}`, { cause: error })
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
  refuseUnknown(files, records)
  const changed = changedSince(files, records)
  if (changed.length > 0)
    throw new MigrationError(
      `This database has applied another text of ${changed.join(', ')}, which an unreleased Handup had: ` +
        'npm run handup -- repair schema finds what differs',
    )
}

async function applyFile(db: Database | Write, file: MigrationFile): Promise<void> {
  if (!isTransaction(db))
    return applyBesideOthers(db, file.inSteps ?? file.text, (write) => recordMigration(write, file))
  await applyAlone(db, file.text)
  await recordMigration(db, file)
}

function isTransaction(db: Database | Write): db is Write {
  return db.isTransaction
}

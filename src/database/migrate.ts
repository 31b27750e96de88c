import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Database, Write } from './schema.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

/**
 * Lock timeout of a migration: later queries queue behind its lock request, and a page's statement times out after 2.5
 * s.
 */
const LOCK_TIMEOUT = sql.lit('2s')

/** How long a migration is retried, and the delay between retries: a backup locks every table while it runs. */
const RETRY_TIMEOUT_MS = 2 * 60_000
const RETRY_DELAY_MS = 3000

/** The database was migrated by a newer Handup, or by 0.1: `message` is one line that says what to do. */
export class OtherVersionError extends Error {}

/**
 * Applies pending migrations from db/migrations in the order of their numbers, all in one transaction. Several
 * processes may start at once: the migrator holds a lock. A lock timeout is retried, so that other queries never wait
 * long.
 * @param upTo name of the last migration to apply; all of them otherwise
 * @returns names of the migrations applied now
 * @throws OtherVersionError when the database has migrations that this version lacks
 * @throws Error naming the failed migration; the database is unchanged
 */
export async function migrate(
  db: Database | Write,
  upTo?: string,
  folder: string = MIGRATIONS,
): Promise<string[]> {
  const provider = new SqlFiles(folder)
  refuseOtherVersions(notAmong(Object.keys(await provider.getMigrations()), await appliedMigrations(db)))
  const migrator = new Migrator({ db, provider })
  const attempt = () => (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  let outcome = await attempt()
  for (
    const end = Date.now() + RETRY_TIMEOUT_MS;
    isInUse(outcome.error) && Date.now() < end && !db.isTransaction;
  ) {
    await sleep(RETRY_DELAY_MS)
    outcome = await attempt()
  }
  const { error, results = [] } = outcome
  const failed = results.find((result) => result.status === 'Error')
  if (error !== undefined) {
    const place =
      failed === undefined ? 'The database could not be migrated' : `Migration ${failed.migrationName} failed`
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

function refuseOtherVersions(unknown: UnknownMigrations | null): void {
  if (unknown === null) return
  const names = unknown.names.join(', ')
  throw new OtherVersionError(
    unknown.areOlder
      ? `This database was created by Handup 0.1 (${names}), and no later version can upgrade it: start 0.1, or this ` +
          'version on an empty database'
      : `A newer Handup was started on this database (${names}): start that version, or restore a backup made before it ` +
          'into an empty database',
  )
}

/** Migrations of another version: of a newer one, or of 0.1, whose migrations 0.2 replaced. */
export interface UnknownMigrations {
  readonly names: readonly string[]
  readonly areOlder: boolean
}

/** Migrations among `names` that this version lacks; null: none. */
export async function unknownMigrations(names: readonly string[]): Promise<UnknownMigrations | null> {
  return notAmong(await knownMigrations(), names)
}

/** Migrations only grow from 0.2 on, so that one below the number of the last known one is older. */
function notAmong(known: readonly string[], names: readonly string[]): UnknownMigrations | null {
  const unknown = names.filter((name) => !known.includes(name))
  const last = [...known].sort().at(-1) ?? ''
  return unknown.length === 0 ? null : { names: unknown, areOlder: unknown.some((name) => name < last) }
}

/** Names of this version's migrations, in order. */
export async function knownMigrations(): Promise<string[]> {
  return Object.keys(await new SqlFiles(MIGRATIONS).getMigrations()).sort()
}

/** Names of a database's applied migrations, in order; none without Handup's tables. */
export async function appliedMigrations(db: Database | Write): Promise<string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map((row) => row.name)
}

/** Names of the tables, functions and types that any migration creates, and of the migrator's own tables. */
export async function namesMade(): Promise<Set<string>> {
  const names = new Set(['kysely_migration', 'kysely_migration_lock'])
  for (const file of await sqlFiles(MIGRATIONS)) {
    for (const [, name] of (await readFile(join(MIGRATIONS, file), 'utf8')).matchAll(CREATE_STATEMENT))
      names.add(name ?? '')
  }
  return names
}

const CREATE_STATEMENT =
  /^create (?:or replace )?(?:unlogged )?(?:table|function|procedure|view|type|domain|sequence) (?:if not exists )?(\w+)/gim

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.sql'))
}

/** Migrations are plain SQL files: a DBA reviews exactly what runs. */
class SqlFiles implements MigrationProvider {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const migrations = (await sqlFiles(this.folder)).map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(join(this.folder, file), 'utf8')
      return [file.replace(/\.sql$/, ''), { up: (db) => applySql(db, text) }]
    })
    return Object.fromEntries(await Promise.all(migrations))
  }
}

async function applySql(db: Parameters<Migration['up']>[0], text: string): Promise<void> {
  await sql`set local lock_timeout = ${LOCK_TIMEOUT}`.execute(db)
  await sql`set local statement_timeout = 0`.execute(db)
  await sql.raw(text).execute(db)
}

/** Whether it failed because of concurrent users of the tables: a lock timeout or a deadlock. */
function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01')
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Database, Write } from './schema.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

/**
 * How long a migration waits for a table that others use: everybody who comes later waits behind it, and a page's statement
 * gives up after 2.5 s.
 */
const LOCK_TIMEOUT = sql.lit('2s')

/** How long it is tried again, and how soon, in milliseconds: a backup reads every table for as long as it takes. */
const PATIENCE = 2 * 60_000
const PAUSE = 3000

/**
 * Applies the migrations in db/migrations that the database has not seen, in the order of their numbers, each set
 * in one transaction. Several processes may start at once: the migrator holds a lock. While others use what it changes,
 * it is tried again, so that nobody waits for it for long.
 * @param upTo name of the last one to apply; all of them otherwise
 * @returns names of the migrations applied now
 * @throws Error naming the migration that failed; the database is as before
 */
export async function migrate(
  db: Database | Write,
  upTo?: string,
  folder: string = MIGRATIONS,
): Promise<string[]> {
  const migrator = new Migrator({ db, provider: new SqlFiles(folder) })
  const attempt = () => (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo))
  let outcome = await attempt()
  for (const end = Date.now() + PATIENCE; isInUse(outcome.error) && Date.now() < end && !db.isTransaction; ) {
    await sleep(PAUSE)
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

/** Names of the migrations this version of Handup has, in their order. */
export async function knownMigrations(): Promise<string[]> {
  return Object.keys(await new SqlFiles(MIGRATIONS).getMigrations()).sort()
}

/** Names of the migrations a database has seen, in their order; none where Handup never was. */
export async function appliedMigrations(db: Database | Write): Promise<string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map((row) => row.name)
}

/** Names of the tables, functions and types that any migration makes, and of the migrator's own tables. */
export async function namesMade(): Promise<Set<string>> {
  const names = new Set(['kysely_migration', 'kysely_migration_lock'])
  for (const file of await sqlFiles(MIGRATIONS)) {
    for (const [, name] of (await readFile(join(MIGRATIONS, file), 'utf8')).matchAll(MAKING))
      names.add(name ?? '')
  }
  return names
}

const MAKING =
  /^create (?:or replace )?(?:unlogged )?(?:table|function|procedure|view|type|domain|sequence) (?:if not exists )?(\w+)/gim

async function sqlFiles(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith('.sql'))
}

/** Migrations are plain SQL files: what a DBA reviews is what runs. */
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

/** Whether it failed only for others who used the same tables: a lock timeout, or a deadlock with them. */
function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === '55P03' || error.code === '40P01')
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import type { Database } from './schema.ts'

const FOLDER = join(import.meta.dirname, '../../db/migrations')

/**
 * Applies the migrations in db/migrations that the database has not seen, in the order of their numbers, each set
 * in one transaction. Several processes may start at once: the migrator holds a lock.
 * @returns names of the migrations applied now
 * @throws Error naming the migration that failed; the database is as before
 */
export async function migrate(db: Database): Promise<string[]> {
  const { error, results = [] } = await new Migrator({ db, provider: new SqlFiles() }).migrateToLatest()
  const failed = results.find((result) => result.status === 'Error')
  if (error !== undefined) {
    const place =
      failed === undefined ? 'The database could not be migrated' : `Migration ${failed.migrationName} failed`
    throw new Error(`${place}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
  return results.filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** Migrations are plain SQL files: what a DBA reviews is what runs. */
class SqlFiles implements MigrationProvider {
  async getMigrations(): Promise<Record<string, Migration>> {
    const files = (await readdir(FOLDER)).filter((file) => file.endsWith('.sql'))
    const migrations = files.map(async (file): Promise<[string, Migration]> => {
      const text = await readFile(join(FOLDER, file), 'utf8')
      return [file.replace(/\.sql$/, ''), { up: (db) => applySql(db, text) }]
    })
    return Object.fromEntries(await Promise.all(migrations))
  }
}

async function applySql(db: Parameters<Migration['up']>[0], text: string): Promise<void> {
  await sql`set local lock_timeout = '5s'`.execute(db)
  await sql`set local statement_timeout = 0`.execute(db)
  await sql.raw(text).execute(db)
}

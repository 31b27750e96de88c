import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withStatementsOf } from './steps.ts'

export const MIGRATIONS = join(import.meta.dirname, '../../../db/migrations')
/** Of the folder beside it with files that lead to the same as one that landed, in steps. */
export const IN_STEPS = '-in-steps'

/** One file of db/migrations: plain SQL, so that a DBA reviews exactly what runs. */
export interface MigrationFile {
  /** The file's name without `.sql`. */
  readonly name: string
  readonly text: string
  /** SHA-256 of the file in hexadecimal: of what landed, it never changes. */
  readonly hash: string
  /** The same in steps, where there is such a file: for a database that others use meanwhile. */
  readonly inSteps: string | null
}

/** The migrations of a folder, in the order of their numbers. */
export async function migrationFiles(folder: string = MIGRATIONS): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      const steps = await readFile(join(folder + IN_STEPS, file), 'utf8').catch(() => null)
      const inSteps = steps === null ? null : withStatementsOf(text, steps)
      return { name: file.replace(/\.sql$/, ''), text, hash, inSteps }
    }),
  )
}

/** Names of this version's migrations, in order. */
export async function knownMigrations(): Promise<string[]> {
  return (await migrationFiles()).map(({ name }) => name)
}

/** Names of the tables, functions and types that any migration creates, and of the tables that record migrations. */
export async function namesMade(): Promise<Set<string>> {
  const made = (await migrationFiles()).flatMap(({ text }) =>
    [...text.matchAll(CREATE_STATEMENT)].map(([, name = '']) => name),
  )
  return new Set([...RECORD_TABLES, ...made])
}

/** Where a database records its migrations; up to 0.2.0 Kysely's migrator did, with a second table for its lock. */
export const RECORD_TABLES: readonly string[] = ['kysely_migration', 'kysely_migration_lock']

const CREATE_STATEMENT =
  /^create (?:or replace )?(?:unlogged )?(?:table|function|procedure|view|type|domain|sequence) (?:if not exists )?(\w+)/gim

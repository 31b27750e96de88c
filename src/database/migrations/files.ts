import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const DB = join(import.meta.dirname, '../../../db')
export const MIGRATIONS = join(DB, 'migrations')

export interface SqlFile {
  /** The file's name without `.sql`. */
  readonly name: string
  readonly text: string
  /** SHA-256 of the file in hexadecimal: of what landed in migrations and tables, it never changes. */
  readonly hash: string
}

/** What came after the tables of 0.3.0, in the order of their numbers. */
export const migrationFiles = (folder: string = MIGRATIONS) => sqlFiles(folder)

/** The tables as 0.3.0 left them, in the order of their chapters: what a new database begins with. */
export const tableFiles = () => sqlFiles(join(DB, 'schema/tables'))

/** Functions, views and triggers, each once for good. They need every migration. */
export const functionFiles = () => sqlFiles(join(DB, 'schema/functions'))

async function sqlFiles(folder: string): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(join(folder, file), 'utf8')
      const hash = createHash('sha256').update(text).digest('hex')
      return { name: file.replace(/\.sql$/, ''), text, hash }
    }),
  )
}

/**
 * The migrations of 0.3.0, in order: a database that has applied them has the tables that a new one begins
 * with.
 */
export async function baseline(): Promise<Omit<SqlFile, 'text'>[]> {
  const lines = (await readFile(join(DB, 'schema/baseline.sha256'), 'utf8')).trimEnd().split('\n')
  return lines.map((line) => {
    const [hash = '', file = ''] = line.split(/\s+/)
    return { name: file.replace(/\.sql$/, ''), hash }
  })
}

/** What a database of this version has, in order. */
export async function allMigrations(folder?: string): Promise<Omit<SqlFile, 'text'>[]> {
  return [...(await baseline()), ...(await migrationFiles(folder))]
}

export async function knownMigrations(folder?: string): Promise<string[]> {
  return (await allMigrations(folder)).map(({ name }) => name)
}

/**
 * Names of the tables, functions and types that the schema or a migration creates, and of the tables that
 * record them.
 */
export async function namesMade(): Promise<Set<string>> {
  const files = [...(await tableFiles()), ...(await migrationFiles()), ...(await functionFiles())]
  const made = files.flatMap(({ text }) => [...text.matchAll(CREATE_STATEMENT)].map(([, name = '']) => name))
  return new Set([...RECORD_TABLES, ...made])
}

/** Where a database records its migrations and files of functions; up to 0.2.0 Kysely's migrator did, with a table for its lock. */
export const RECORD_TABLES: readonly string[] = ['kysely_migration', 'kysely_migration_lock', 'schema_files']

const CREATE_STATEMENT =
  /^create (?:or replace )?(?:unlogged )?(?:table|function|procedure|view|type|domain|sequence) (?:if not exists )?(\w+)/gim

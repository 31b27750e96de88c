import { sql } from 'kysely'
import type { Database, Write } from '../schema.ts'
import { knownMigrations, type MigrationFile } from './files.ts'

/** The last migration that 0.2.0 began with: 0.1 has others up to this number. */
const LAST_OF_BASE = '023_change_feed'

/** A migration that a database has. */
export interface AppliedMigration {
  readonly name: string
  /** MigrationFile.hash of what was applied; null: before 0.3.0, which was the first to record it. */
  readonly hash: string | null
}

/** A database's applied migrations, in order; none without Handup's tables. */
export async function applied(db: Database | Write): Promise<AppliedMigration[]> {
  if (!(await recordsMigrations(db))) return []
  const { rows } = await sql<AppliedMigration>`
    select name, to_jsonb(migration) ->> 'hash' as hash from kysely_migration as migration order by name`.execute(
    db,
  )
  return rows
}

/** Their names. */
export async function appliedMigrations(db: Database | Write): Promise<string[]> {
  return (await applied(db)).map(({ name }) => name)
}

/** Ensures that the database can record migrations with their hashes. */
export async function ensureRecords(db: Database | Write): Promise<void> {
  if (!(await recordsMigrations(db)))
    await sql`create table kysely_migration (name text primary key, timestamp text not null, hash text)`.execute(
      db,
    )
  const { rows } = await sql`
    select from pg_attribute
    where attrelid = 'kysely_migration'::regclass and attname = 'hash' and not attisdropped`.execute(db)
  if (rows.length === 0) await sql`alter table kysely_migration add column hash text`.execute(db)
}

export async function recordMigration(write: Database | Write, { name, hash }: MigrationFile): Promise<void> {
  await sql`
    insert into kysely_migration (name, timestamp, hash) values (${name}, ${new Date().toISOString()}, ${hash})`.execute(
    write,
  )
}

async function recordsMigrations(db: Database | Write): Promise<boolean> {
  const { rows } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  return rows.length > 0
}

/** Migrations of another version: of a newer or unreleased one, or of 0.1, whose migrations 0.2 replaced. */
export interface UnknownMigrations {
  /** The last of them: a version of 60 more is known by one. */
  readonly newest: string
  readonly areOlder: boolean
}

/** Migrations among `names` that this version lacks; null: none. */
export async function unknownMigrations(names: readonly string[]): Promise<UnknownMigrations | null> {
  return notAmong(await knownMigrations(), names)
}

export function notAmong(known: readonly string[], names: readonly string[]): UnknownMigrations | null {
  const unknown = names.filter((name) => !known.includes(name)).sort()
  const older = unknown.filter((name) => name < LAST_OF_BASE)
  const newest = (older.length > 0 ? older : unknown).at(-1)
  return newest === undefined ? null : { newest, areOlder: older.length > 0 }
}

/** Names of applied migrations whose text was another one. */
export function changedSince(
  files: readonly MigrationFile[],
  records: readonly AppliedMigration[],
): string[] {
  const hashes = new Map(files.map(({ name, hash }) => [name, hash]))
  return records
    .filter(({ name, hash }) => hash !== null && hashes.has(name) && hashes.get(name) !== hash)
    .map(({ name }) => name)
}

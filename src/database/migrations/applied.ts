import { sql } from 'kysely'
import type { Database, Write } from '../schema.ts'
import type { SqlFile } from './files.ts'

/**
 * A database's migrations, in order; none without Handup's tables.
 * @returns `hash`: SqlFile.hash of what was applied; null: before 0.3.0, which was the first to record it
 */
export async function applied(db: Database | Write) {
  if (!(await hasTable(db, 'kysely_migration'))) return []
  const { rows } = await sql<{ name: string; hash: string | null }>`
    select name, to_jsonb(migration) ->> 'hash' as hash from kysely_migration as migration order by name`.execute(
    db,
  )
  return rows
}

export async function appliedMigrations(db: Database | Write): Promise<string[]> {
  return (await applied(db)).map(({ name }) => name)
}

/** The files of functions by name with their hashes; none before 0.4. */
export async function appliedFunctions(db: Database | Write): Promise<ReadonlyMap<string, string>> {
  if (!(await hasTable(db, 'schema_files'))) return new Map()
  const { rows } = await sql<{ name: string; hash: string }>`select name, hash from schema_files`.execute(db)
  return new Map(rows.map(({ name, hash }) => [name, hash]))
}

export async function ensureRecords(db: Database | Write): Promise<void> {
  await sql`
    create table if not exists kysely_migration (name text primary key, timestamp text not null, hash text)`.execute(
    db,
  )
  await sql`alter table kysely_migration add column if not exists hash text`.execute(db)
  await sql`create table if not exists schema_files (name text primary key, hash text not null)`.execute(db)
}

export async function recordMigrations(
  write: Database | Write,
  files: readonly Pick<SqlFile, 'name' | 'hash'>[],
): Promise<void> {
  for (const { name, hash } of files)
    await sql`
      insert into kysely_migration (name, timestamp, hash) values (${name}, ${new Date().toISOString()}, ${hash})`.execute(
      write,
    )
}

export async function recordFunctions(write: Database | Write, files: readonly SqlFile[]): Promise<void> {
  for (const { name, hash } of files)
    await sql`
      insert into schema_files (name, hash) values (${name}, ${hash})
      on conflict (name) do update set hash = excluded.hash`.execute(write)
}

export async function hasTable(db: Database | Write, table: string): Promise<boolean> {
  const { rows } = await sql`select where to_regclass(${table}) is not null`.execute(db)
  return rows.length > 0
}

/** Names of applied migrations whose text was another one. */
export function changedSince(
  files: readonly Pick<SqlFile, 'name' | 'hash'>[],
  records: Awaited<ReturnType<typeof applied>>,
): string[] {
  const hashes = new Map(records.map(({ name, hash }) => [name, hash]))
  return files.filter(({ name, hash }) => (hashes.get(name) ?? hash) !== hash).map(({ name }) => name)
}

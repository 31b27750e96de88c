import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import type { Database, Write } from '../../database/schema.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { type CommandEnd, runCommand } from '../../testing/command.ts'
import { checkBackup } from './check-backup.ts'
import { makeBackup } from './make-backup.ts'
import { restoreBackup } from './restore-backup.ts'
import { tablesToKeep } from './snapshot.ts'
import type { UploadPlace } from './uploads.ts'

const CLI = join(import.meta.dirname, '../../tools/cli/main.ts')

export const MEGABYTE = 2 ** 20

export const SILENT = { begin() {}, advance() {} }

/** A folder for one test, removed after it. */
export async function aTemporaryFolder(test: Ending): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handup-backup-'))
  atEnd(test, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Each table's number of rows and a digest of all their columns. */
export async function digestsOf(db: Database | Write): Promise<Record<string, string>> {
  const digests: Record<string, string> = {}
  for (const { name } of await tablesToKeep(db as Write)) {
    const { rows } = await sql<{ digest: string }>`
      select count(*) || ' rows ' || coalesce(md5(string_agg(t::text, chr(10) order by t::text collate "C")), '') as digest
      from ${sql.table(name)} as t`.execute(db)
    digests[name] = rows[0]?.digest ?? ''
  }
  return digests
}

/** Definitions of a database's tables, indexes, constraints, triggers and functions. */
export async function schemaOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select indexdef as definition from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select tgenabled::text || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || is_generated
      from information_schema.columns where table_schema = 'public'
    order by definition`.execute(db)
  return rows.map((row) => row.definition)
}

export interface Installation extends UploadPlace {
  readonly db: Database
  readonly url: string
}

/**
 * Writes a backup of an installation.
 * @returns its path
 */
export async function aBackup(place: Installation, path: string): Promise<string> {
  await makeBackup(place, path, { signal: new AbortController().signal, progress: SILENT })
  return path
}

export async function restoreInto(place: Omit<Installation, 'db'>, path: string) {
  return restoreBackup(place, await checkBackup(path, SILENT), SILENT)
}

/** Adds replies of poorly compressible text to each question: this number of megabytes in total. */
export async function fill(url: string, megabytes: number): Promise<void> {
  const db = connect(url, { statementTimeout: 0 })
  const replies = Math.ceil((megabytes * MEGABYTE) / 6400)
  await db
    .transaction()
    .execute(async (write) => {
      await sql`alter table replies disable trigger user`.execute(write)
      // Each piece is a digest of 32 characters; 100 pieces per reply.
      await sql`
        insert into replies (question_id, author_id, body, body_html, renderer_version)
        select q.id, q.author_id, words, reverse(words), 1 from questions as q, generate_series(1, ${replies}) as n,
          lateral (select string_agg(md5(n || '.' || piece), '') as words from generate_series(1, 100) as piece) as made`.execute(
        write,
      )
      await sql`alter table replies enable trigger user`.execute(write)
    })
    .finally(() => db.destroy())
}

/** Runs `handup …` in a child process. */
export function handup(
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<CommandEnd> {
  return runCommand(process.execPath, [CLI, ...args], {
    environment: { LOG_LEVEL: 'silent', DATABASE_URL: '', NODE_ENV: '', INIT_CWD: '', ...environment },
  })
}

import { sql } from 'kysely'
import { applied, changedSince, unknownMigrations } from '../../database/migrations/applied.ts'
import { migrationFiles } from '../../database/migrations/files.ts'
import { keepsSessions } from '../../database/pooler.ts'
import type { Database } from '../../database/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MIN_MAJOR = 15
const MAX_MAJOR = 18

interface Server {
  readonly version: string
  readonly number: number
  readonly encoding: string
}

/** The collation version at the database's creation and now; null: the collation has none. */
interface Sorting {
  readonly sorted: string | null
  readonly sorts: string | null
}

/** Checks PostgreSQL: a supported version, its encoding, and the collation of its indexes. */
export async function checkServer(db: Database): Promise<Finding[]> {
  const { rows } = await sql<Server>`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer as number,
      pg_encoding_to_char(encoding) as encoding
    from pg_database where datname = current_database()`.execute(db)
  const [server] = rows
  if (server === undefined) return []
  // Older versions record no collation version.
  return [checkVersion(server), ...(majorOf(server) < MIN_MAJOR ? [] : await checkSorting(db))]
}

/** Reports a pooler that breaks LISTEN and prepared statements. */
export async function checkPooler(url: string): Promise<Finding[]> {
  if (await keepsSessions(url)) return []
  return [
    problem(
      'pooler',
      'DATABASE_URL leads through a pooler in transaction mode',
      'set pool_mode=session for this database, or use the address of PostgreSQL itself',
    ),
  ]
}

function majorOf({ number }: Server): number {
  return Math.floor(number / 10_000)
}

function checkVersion(server: Server): Finding {
  const { version, encoding } = server
  const major = majorOf(server)
  if (encoding !== 'UTF8')
    return problem(
      'database',
      `PostgreSQL ${version}, encoded as ${encoding}`,
      'create a database with encoding UTF8, and restore a backup into it',
    )
  if (major < MIN_MAJOR)
    return problem('database', `PostgreSQL ${version} is too old`, `use ${MIN_MAJOR} to ${MAX_MAJOR}`)
  if (major > MAX_MAJOR)
    return warning(
      'database',
      `PostgreSQL ${version} is newer than Handup was tested on`,
      `use ${MIN_MAJOR} to ${MAX_MAJOR}`,
    )
  return ok('database', `PostgreSQL ${version} answers`)
}

/** After a collation upgrade (libc or ICU), text indexes miss rows. */
async function checkSorting(db: Database): Promise<Finding[]> {
  const { rows } = await sql<Sorting>`
    select datcollversion as sorted, pg_database_collation_actual_version(oid) as sorts
    from pg_database where datname = current_database()`.execute(db)
  const { sorted = null, sorts = null } = rows[0] ?? {}
  if (sorted === null || sorts === null || sorted === sorts) return []
  return [
    problem(
      'sorting',
      `text is now sorted by rules ${sorts}, not ${sorted}: indexes may miss rows`,
      'as the database’s owner: reindex database NAME; then alter database NAME refresh collation version',
    ),
  ]
}

/** Checks that the schema is the one this version needs. */
export async function checkMigrations(db: Database): Promise<Finding> {
  const [records, files] = [await applied(db), await migrationFiles()]
  const names = new Set(records.map(({ name }) => name))
  if (names.size === 0)
    return problem('migrations', 'none applied: Handup has never started here', 'npm start')
  const unknown = await unknownMigrations([...names])
  if (unknown !== null)
    return problem(
      'migrations',
      `${unknown.areOlder ? 'created by Handup 0.1' : 'a newer or unreleased Handup was here'}: ${unknown.names.join(', ')}`,
      'start that version; other versions don’t know its tables',
    )
  const changed = changedSince(files, records)
  if (changed.length > 0)
    return problem(
      'migrations',
      `an unreleased Handup applied another version of ${changed.join(', ')}`,
      'take a backup, then npm run handup -- repair schema',
    )
  const pending = files.map(({ name }) => name).filter((name) => !names.has(name))
  if (pending.length > 0)
    return problem(
      'migrations',
      `not applied: ${pending.join(', ')}`,
      'take a backup, then npm run handup -- migrate (starting does it too)',
    )
  return ok('migrations', `all ${files.length} applied`)
}

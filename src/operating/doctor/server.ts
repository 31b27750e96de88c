import { sql } from 'kysely'
import { applied, appliedFunctions, changedSince } from '../../database/migrations/applied.ts'
import { baseline, functionFiles, migrationFiles } from '../../database/migrations/files.ts'
import { otherVersion } from '../../database/migrations/refuse.ts'
import { keepsSessions } from '../../database/pooler.ts'
import type { Database } from '../../database/schema.ts'
import { type Finding, problem, type WordedFinding, worded } from './finding.ts'

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
export async function checkServer(db: Database): Promise<WordedFinding[]> {
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

function checkVersion(server: Server): WordedFinding {
  const { version, encoding } = server
  const major = majorOf(server)
  const range = { version, min: MIN_MAJOR, max: MAX_MAJOR }
  if (encoding !== 'UTF8') return worded('problem', 'database', 'encoded', { version, encoding })
  if (major < MIN_MAJOR) return worded('problem', 'database', 'old', range)
  if (major > MAX_MAJOR) return worded('warning', 'database', 'new', range)
  return worded('ok', 'database', 'answers', { version })
}

/** After a collation upgrade (libc or ICU), text indexes miss rows. */
async function checkSorting(db: Database): Promise<WordedFinding[]> {
  const { rows } = await sql<Sorting>`
    select datcollversion as sorted, pg_database_collation_actual_version(oid) as sorts
    from pg_database where datname = current_database()`.execute(db)
  const { sorted = null, sorts = null } = rows[0] ?? {}
  if (sorted === null || sorts === null || sorted === sorts) return []
  return [worded('problem', 'sorting', 'changed', { sorts, sorted })]
}

/** Checks that the schema is the one this version needs. */
export async function checkMigrations(db: Database): Promise<WordedFinding> {
  const records = await applied(db)
  const names = records.map(({ name }) => name)
  if (names.length === 0) return worded('problem', 'migrations', 'none')
  const other = await otherVersion(names)
  if (other !== null)
    return worded('problem', 'migrations', other.isOlder ? 'older' : 'newer', { newest: other.newest })
  const migrations = [...(await baseline()), ...(await migrationFiles())]
  const changed = changedSince(migrations, records)
  if (changed.length > 0) return worded('problem', 'migrations', 'changed', { names: changed.join(', ') })
  const functions = await appliedFunctions(db)
  const pending = [
    ...migrations.filter(({ name }) => !names.includes(name)),
    ...(await functionFiles()).filter(({ name, hash }) => functions.get(name) !== hash),
  ].map(({ name }) => name)
  if (pending.length > 0) return worded('problem', 'migrations', 'pending', { names: pending.join(', ') })
  return worded('ok', 'migrations', 'applied', { count: migrations.length })
}

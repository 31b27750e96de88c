import { sql } from 'kysely'
import { applied, appliedFunctions, changedSince } from '../../database/migrations/applied.ts'
import { allMigrations, functionFiles } from '../../database/migrations/files.ts'
import { otherVersion } from '../../database/migrations/refuse.ts'
import { keepsSessions } from '../../database/pooler.ts'
import type { Database } from '../../database/schema.ts'
import { type Finding, ok, problem, type WordedFinding, warning, worded } from './finding.ts'

const MIN_MAJOR = 15
const MAX_MAJOR = 18

/** Checks PostgreSQL: a supported version, its encoding, and the collation of its indexes. */
export async function checkServer(db: Database): Promise<WordedFinding[]> {
  const { rows } = await sql<{ version: string; major: number; encoding: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::integer / 10000 as major,
      pg_encoding_to_char(encoding) as encoding
    from pg_database where datname = current_database()`.execute(db)
  const { version = '', major = 0, encoding = '' } = rows[0] ?? {}
  const range = { version, min: MIN_MAJOR, max: MAX_MAJOR }
  // Older versions record no collation version.
  const sorting = major < MIN_MAJOR ? [] : await checkSorting(db)
  if (encoding !== 'UTF8')
    return [worded('problem', 'database', 'encoded', { version, encoding }), ...sorting]
  if (major < MIN_MAJOR) return [worded('problem', 'database', 'old', range)]
  if (major > MAX_MAJOR) return [worded('warning', 'database', 'new', range), ...sorting]
  return [worded('ok', 'database', 'answers', { version }), ...sorting]
}

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

/**
 * Compares the collation version at the database's creation and now: after an upgrade (libc or ICU), text
 * indexes miss rows.
 */
async function checkSorting(db: Database): Promise<WordedFinding[]> {
  const { rows } = await sql<{ sorted: string | null; sorts: string | null }>`
    select datcollversion as sorted, pg_database_collation_actual_version(oid) as sorts
    from pg_database where datname = current_database()`.execute(db)
  const { sorted = null, sorts = null } = rows[0] ?? {}
  if (sorted === null || sorts === null || sorted === sorts) return []
  return [worded('problem', 'sorting', 'changed', { sorts, sorted })]
}

export async function checkMigrations(db: Database): Promise<WordedFinding> {
  const records = await applied(db)
  const names = records.map(({ name }) => name)
  if (names.length === 0) return worded('problem', 'migrations', 'none')
  const other = await otherVersion(names)
  if (other !== null)
    return worded('problem', 'migrations', other.isOlder ? 'older' : 'newer', { newest: other.newest })
  const migrations = await allMigrations()
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

const MEGABYTE = 2 ** 20

/** What an external server sends elsewhere. */
export interface Replication {
  readonly isArchiving: boolean
  /** The last attempt to archive failed. */
  readonly isArchivingBroken: boolean
  readonly standbys: number
  /** Seconds that the last standby is behind; null: none is connected, or this role may not know. */
  readonly lag: number | null
  /** Replication slots that nothing reads from. */
  readonly idleSlots: readonly string[]
  /** Bytes of the log that the server keeps for these. */
  readonly keptForSlots: number
}

/** A standby that is so many seconds behind is no standby. */
const MAX_LAG = 300

/** Checks whether what is written reaches another machine: continuous archiving, standbys, and slots that fill the disk. */
export async function checkReplication(db: Database): Promise<Finding[]> {
  const { rows } = await sql<Replication>`
    select current_setting('archive_mode') <> 'off' as "isArchiving",
      coalesce((select last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver), false)
        as "isArchivingBroken",
      (select count(*) from pg_stat_replication)::integer as standbys,
      (select max(extract(epoch from replay_lag)) from pg_stat_replication)::float8 as lag,
      coalesce((select array_agg(slot_name::text order by slot_name) from pg_replication_slots where not active), '{}') as "idleSlots",
      coalesce((select max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) from pg_replication_slots where not active), 0)::float8
        as "keptForSlots"`.execute(db)
  return rows.flatMap(replicationFindings)
}

export function replicationFindings(found: Replication): Finding[] {
  const { isArchiving, isArchivingBroken, lag, idleSlots, keptForSlots } = found
  const findings = [
    isArchiving &&
      isArchivingBroken &&
      problem(
        'replication',
        'archive_command fails: nothing is archived, and the log fills the disk',
        'read PostgreSQL’s log, and correct archive_command or its target',
      ),
    idleSlots.length > 0 &&
      warning(
        'replication',
        `nothing reads from the replication slots ${idleSlots.join(', ')}: the server keeps ${Math.round(keptForSlots / MEGABYTE)} MB of log for them`,
        'start that standby, or pg_drop_replication_slot(…)',
      ),
    lag !== null &&
      lag > MAX_LAG &&
      warning(
        'replication',
        `a standby is ${Math.round(lag / 60)} min behind`,
        'check its disk and network: promoted now, it would lack what was written since',
      ),
  ]
  return wrongOr(findings, ok('replication', saysOf(found)))
}

function wrongOr(findings: readonly (Finding | false)[], fine: Finding): Finding[] {
  const wrong = findings.filter((finding) => finding !== false)
  return wrong.length > 0 ? wrong : [fine]
}

function saysOf({ isArchiving, standbys, lag }: Replication): string {
  if (!isArchiving && standbys === 0)
    return 'none that PostgreSQL knows of: if its disk fails, everything since the last backup is lost'
  const parts = [
    ...(standbys > 0 ? [`${standbys} standby${standbys === 1 ? '' : 's'}`] : []),
    ...(lag === null ? [] : [`${Math.round(lag)} s behind`]),
    ...(isArchiving ? ['continuous archiving'] : []),
  ]
  return parts.join(', ')
}

export interface Tuning {
  readonly fsync: boolean
  readonly fullPageWrites: boolean
  readonly autovacuum: boolean
  readonly maxConnections: number
  /** Bytes. */
  readonly sharedBuffers: number
  readonly randomPageCost: number
  readonly jit: boolean
  /** Bytes of this database. */
  readonly size: number
}

/** Connections of one process, with that for LISTEN, and some for commands, backups and the operator. */
const [CONNECTIONS_OF_PROCESS, OTHER_CONNECTIONS] = [6, 10]
/** A database this many times its cache is read from disk most of the time. */
const MAX_TIMES_CACHE = 8

/** @param workers WORKERS */
export async function checkTuning(db: Database, workers: number): Promise<Finding[]> {
  const { rows } = await sql<Tuning>`
    select current_setting('fsync')::boolean as fsync, current_setting('full_page_writes')::boolean as "fullPageWrites",
      current_setting('autovacuum')::boolean as autovacuum, current_setting('max_connections')::integer as "maxConnections",
      pg_size_bytes(current_setting('shared_buffers'))::float8 as "sharedBuffers",
      current_setting('random_page_cost')::float8 as "randomPageCost", current_setting('jit')::boolean as jit,
      pg_database_size(current_database())::float8 as size`.execute(db)
  return rows.flatMap((tuning) => tuningFindings(tuning, workers))
}

export function tuningFindings(tuning: Tuning, workers: number): Finding[] {
  const { fsync, fullPageWrites, autovacuum, maxConnections, sharedBuffers, randomPageCost, jit, size } =
    tuning
  const cache = `shared_buffers ${Math.round(sharedBuffers / MEGABYTE)} MB`
  const wanted = workers * CONNECTIONS_OF_PROCESS + OTHER_CONNECTIONS
  const findings = [
    (!fsync || !fullPageWrites) &&
      problem(
        'tuning',
        `${fsync ? 'full_page_writes' : 'fsync'} is off: a power failure can destroy the database`,
        'switch it on in postgresql.conf, and reload the server',
      ),
    !autovacuum &&
      problem(
        'tuning',
        'autovacuum is off: tables grow, and pages get slower',
        'switch autovacuum on in postgresql.conf, and reload the server',
      ),
    maxConnections < wanted &&
      warning(
        'tuning',
        `max_connections is ${maxConnections}; ${workers} processes, commands and backups need up to ${wanted}`,
        'raise max_connections, or lower WORKERS',
      ),
    size > MAX_TIMES_CACHE * sharedBuffers &&
      warning(
        'tuning',
        `${cache} for a database of ${Math.round(size / MEGABYTE)} MB`,
        'set shared_buffers to a quarter of the memory of a server of its own, an eighth beside the forum',
      ),
    (randomPageCost > 2 || jit) &&
      warning(
        'tuning',
        `random_page_cost ${randomPageCost}, jit ${jit ? 'on' : 'off'}: made for slow disks and long queries`,
        'on SSDs set random_page_cost to 1.1; set jit to off',
      ),
  ]
  return wrongOr(findings, ok('tuning', `${cache}, max_connections ${maxConnections}`))
}

import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const MEGABYTE = 2 ** 20

/** Settings of a server. */
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

/** Checks the settings of an external server. @param workers WORKERS */
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
  const findings: (Finding | false)[] = [
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
  const found = findings.filter((finding) => finding !== false)
  return found.length > 0 ? found : [ok('tuning', `${cache}, max_connections ${maxConnections}`)]
}

import { Socket } from 'node:net'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { prepareRepeated } from './prepared.ts'
import type { Database, Schema } from './schema.ts'

export interface ConnectionOptions {
  /** Connections kept at the most; requests beyond wait `patience`. */
  readonly connections?: number
  /** Milliseconds to wait for a free connection before giving up. */
  readonly patience?: number
  /** Milliseconds one statement may take; 0: as long as it needs (imports, migrations). */
  readonly statementTimeout?: number
  readonly onError?: (error: Error) => void
  /** Gets each connection as it is made, for what Kysely has no words for, such as COPY. */
  readonly onConnection?: (client: pg.PoolClient) => void
}

const INT8 = 20

/** Of the time for a statement: how much of it may be waiting for a lock. */
const LOCK_SHARE = 0.8

/** Queries that may wait for a connection at once; who comes then hears at once that there is no room. */
const MOST_WAITING = 1000

/** Milliseconds beyond the statement timeout in which a living server says that a statement took too long. */
const GRACE = 300

/** Opens a pool on a PostgreSQL address. Nothing connects before the first query. */
export function connect(url: string, options: ConnectionOptions = {}): Database {
  const statementTimeout = options.statementTimeout ?? 2500
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.patience ?? 2500,
    statement_timeout: statementTimeout,
    // Before the statement's own end, so that the log says what it waited for.
    lock_timeout: statementTimeout * LOCK_SHARE,
    idle_in_transaction_session_timeout: 15_000,
    keepAlive: true,
    application_name: 'handup',
    types: { getTypeParser },
  })
  // A connection cut while idle, or between two statements of a transaction, must not end the process, as an error event
  // that nobody hears does: the pool opens another for the next query. The pool's own event tells of idle ones again.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', (error) => options.onError?.(error))
    prepareRepeated(client)
    options.onConnection?.(client)
  })
  if (statementTimeout > 0) giveUpOnSilence(pool, statementTimeout + GRACE)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: bounded(pool) }) })
  pools.set(db, pool)
  return db
}

const pools = new WeakMap<Database, pg.Pool>()

/** What a database opened here is doing: open connections, those of them nobody uses, and queries that wait for one. */
export function useOf(db: Database): { open: number; idle: number; waiting: number } {
  const pool = pools.get(db)
  return { open: pool?.totalCount ?? 0, idle: pool?.idleCount ?? 0, waiting: pool?.waitingCount ?? 0 }
}

/** The pool, with a queue that has an end: what waits takes memory, and most of it would wait in vain. */
function bounded(pool: pg.Pool): PostgresPool {
  return {
    connect: async () => {
      if (pool.waitingCount >= MOST_WAITING) throw new Error('Too many queries wait for a connection')
      return pool.connect()
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/**
 * Ends connections in use whose server says nothing for so many milliseconds: it is frozen, or the network is cut. Statement
 * timeouts are the server's to keep, so without this a request would wait for ever.
 */
function giveUpOnSilence(pool: pg.Pool, milliseconds: number): void {
  pool.on('connect', ({ connection: { stream } }) => {
    if (!(stream instanceof Socket)) return
    const error = new Error(`Connection terminated: the server said nothing for ${milliseconds} ms`)
    stream.on('timeout', () => stream.destroy(error))
  })
  const setTimeout = ({ connection: { stream } }: pg.PoolClient, timeout: number) => {
    if (stream instanceof Socket) stream.setTimeout(timeout)
  }
  pool.on('acquire', (client) => setTimeout(client, milliseconds))
  pool.on('release', (_error, client) => setTimeout(client, 0))
}

/** Ids and counts are far below 2^53, so bigint columns come as numbers rather than strings. */
function getTypeParser(...[id, format]: Parameters<typeof pg.types.getTypeParser>) {
  if ((id as number) === INT8 && format !== 'binary') return Number
  return pg.types.getTypeParser(id, format)
}

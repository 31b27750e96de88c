import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import {
  checkTarget,
  HostPools,
  readAddresses,
  SESSION_STATE,
  type SessionTarget,
  whenDemoted,
} from './hosts.ts'
import type { Database, Schema } from './schema.ts'

export interface ConnectionOptions {
  /** Maximum number of connections; further requests wait `connectionTimeout`. */
  readonly connections?: number
  /** How long to wait for a free connection, in milliseconds; the URL's `connect_timeout` by default, or 2500. */
  readonly connectionTimeout?: number
  /** Statement timeout in milliseconds, 0: none (imports, migrations); the URL's `statement_timeout` by default, or 2500. */
  readonly statementTimeout?: number
  /**
   * Which statements the server plans once per connection instead of once per query; the recurring ones by
   * default.
   */
  readonly preparing?: typeof ORDINARY_PREPARING
  readonly onError?: (error: Error) => void
  /** Called with each new connection, for what Kysely does not support, such as COPY. */
  readonly onConnection?: (client: pg.PoolClient) => void
}

const INT8 = 20

/**
 * The connections of a process for its pages and jobs. Each plans and keeps some 500 statements for itself,
 * 17 MB, and a processor core serves no more than a few at a time.
 */
export const POOL_CONNECTIONS = 5

const CONNECTION_TIMEOUT_MS = 2500
const STATEMENT_TIMEOUT_MS = 2500

/** A new connection costs some 20 ms of processor time: its login, the catalogs, and the plans of its first statements. */
const IDLE_TIMEOUT_MS = 5 * 60_000

/** The share of the statement timeout that may be spent waiting for a lock. */
const LOCK_SHARE = 0.8

const IDLE_TRANSACTION_TIMEOUT_MS = 15_000

/** Milliseconds after the statement timeout within which a healthy server reports it. */
const GRACE_MS = 300

/** Opens a pool on a PostgreSQL URL, which may name several hosts (hosts.ts). Connects with the first query. */
export function connect(url: string, options: ConnectionOptions = {}): Database {
  const { urls, target, timeouts } = readAddresses(url)
  const pools = new HostPools(urls.map((address) => poolOf(address, target, { ...timeouts, ...options })))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pools }) })
  poolsOf.set(db, pools)
  urlOf.set(pools, url)
  return db
}

/** Does what takes long, as an import does, on connections of its own: without the timeouts of pages, and without their connections. */
export async function unhurried<Result>(
  db: Database,
  work: (own: Database) => Promise<Result>,
): Promise<Result> {
  const pools = poolsOf.get(db)
  const url = pools && urlOf.get(pools)
  if (url === undefined) return work(db)
  const own = connect(url, { statementTimeout: 0, connections: 2 })
  try {
    return await work(own)
  } finally {
    await own.destroy()
  }
}

/** The same connections as another object: what is remembered of one is not of the other. */
export function againConnected(db: Database): Database {
  const again = db.withoutPlugins()
  const pools = poolsOf.get(db)
  if (pools !== undefined) poolsOf.set(again, pools)
  return again
}

const poolsOf = new WeakMap<Database, HostPools>()
const urlOf = new WeakMap<HostPools, string>()

export function useOf(db: Database) {
  return poolsOf.get(db)?.use() ?? { open: 0, idle: 0, waiting: 0 }
}

function poolOf(connectionString: string, target: SessionTarget, options: ConnectionOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: options.connections ?? POOL_CONNECTIONS,
    connectionTimeoutMillis: options.connectionTimeout ?? CONNECTION_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'handup',
    types: { getTypeParser },
    onConnect: async (client) => {
      // The connections of a pg pool, which its types do not declare.
      if (!(client instanceof pg.Client)) return
      await beginSession(client, target, options)
      if (target !== 'any') whenDemoted(client)
    },
  })
  // Without a listener, a connection that breaks while idle or between two statements of a transaction would
  // end the process. The pool replaces it for the next query.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', (error) => options.onError?.(error))
    prepareRepeated(client, options.preparing)
    options.onConnection?.(client)
  })
  const timeout = options.statementTimeout ?? STATEMENT_TIMEOUT_MS
  if (timeout > 0) giveUpOnSilence(pool, timeout + GRACE_MS)
  return pool
}

/**
 * Sets the session's limits, and checks that it is on the intended server. By SET, because poolers refuse
 * unknown connection parameters.
 */
async function beginSession(
  client: pg.Client,
  target: SessionTarget,
  { connectionTimeout = CONNECTION_TIMEOUT_MS, statementTimeout = STATEMENT_TIMEOUT_MS }: ConnectionOptions,
): Promise<void> {
  // A lock times out before the statement, so that the log names the cause.
  const text = `
    set statement_timeout = ${statementTimeout};
    set lock_timeout = ${Math.round(statementTimeout * LOCK_SHARE)};
    set idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_TIMEOUT_MS};
    ${SESSION_STATE}`
  try {
    // For several statements pg returns an array of results, which its types do not declare.
    const results: unknown = await client.query({ text, query_timeout: connectionTimeout } as pg.QueryConfig)
    checkTarget((results as pg.QueryResult[]).at(-1)?.rows[0], target, client.host)
  } catch (error) {
    // The pool waits for the close, and a frozen server does not answer a graceful one.
    client.connection.stream.destroy()
    throw error
  }
}

/**
 * Closes connections in use whose server is silent for this number of milliseconds: it is frozen, or the
 * network is down. The server enforces statement timeouts, so without this a request would wait forever.
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

/** Ids and counts are far below 2^53, so bigint columns are parsed as numbers instead of strings. */
function getTypeParser(...[id, format]: Parameters<typeof pg.types.getTypeParser>) {
  if ((id as number) === INT8 && format !== 'binary') return Number
  return pg.types.getTypeParser(id, format)
}

/**
 * A statement is prepared when it is sent for the third time. The server keeps the plans as long as the
 * connection.
 */
const ORDINARY_PREPARING = { minUses: 3, maxStatements: 300 }
const MAX_COUNTED = 2000

const ORDINARY = /^[\s(]*(?:select|insert|update|delete|with)\b/i
/**
 * Statements whose selectivity depends on the words of a search need a plan each time, unlike those whose pattern stands in their text;
 * several statements in one cannot be prepared.
 */
const NEEDS_OWN_PLAN = /;|\bi?like\b(?! '[^']*'(?! \|\|))|similarity|tablesample/i

/**
 * Has the server parse and plan each recurring statement once per connection instead of once per query: for a
 * page's queries planning takes longer than execution.
 */
function prepareRepeated(client: pg.PoolClient, { minUses, maxStatements } = ORDINARY_PREPARING): void {
  const query: (...given: unknown[]) => unknown = (...given) =>
    Reflect.apply(pg.Client.prototype.query, client, given)
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= maxStatements) return known
    if (!ORDINARY.test(text) || NEEDS_OWN_PLAN.test(text)) return undefined
    const count = (counts.get(text) ?? 0) + 1
    if (counts.size >= MAX_COUNTED) counts.clear()
    counts.set(text, count)
    if (count < minUses) return undefined
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    names.set(text, name)
    return name
  }
  client.query = ((...given: unknown[]) => {
    const [text, values, ...rest] = given
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
    return name === undefined ? query(...given) : query({ name, text, values }, ...rest)
  }) as typeof client.query
}

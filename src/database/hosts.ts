import type { PostgresPool } from 'kysely'
import pg from 'pg'
import { isUnavailable } from './failures.ts'

/**
 * An invalid DATABASE_URL: `message` says what is expected, and does not repeat the value, which may hold a password.
 */
export class AddressError extends Error {
  constructor(expected: string) {
    super(`must be an address ${expected}`)
  }
}

/** The values of libpq's target_session_attrs that let the forum write. */
const TARGETS = ['any', 'read-write', 'primary'] as const
export type SessionTarget = (typeof TARGETS)[number]

const SHAPE =
  /^(?<begin>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<between>[^/?#]*)(?<path>[^?#]*)(?:\?(?<query>[^#]*))?$/
const HOST = /^(\[[\d:a-f.%]+\]|[^:[\]]+)(?::(\d{1,5}))?$/i

/** Parameters that the forum reads itself and no connection is sent: poolers refuse those they don't know. */
const TAKEN = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'statement_timeout']

/**
 * Parses a URL like libpq (PostgreSQL documentation, "Connection URIs" and "Specifying Multiple Hosts"): several hosts
 * separated by commas, before the path or as parameters `host` and `port`, and the target session attributes.
 * @returns a URL for each host, in the order of attempts, and milliseconds of the timeouts that the URL names
 * @throws AddressError when it is invalid
 */
export function readAddresses(databaseUrl: string) {
  const { begin, between = '', path = '', query } = SHAPE.exec(databaseUrl)?.groups ?? {}
  if (begin === undefined) throw new AddressError('beginning with postgres:// or postgresql://')
  const parameters = new URLSearchParams(query)
  const [names, ports, attrs, seconds, milliseconds] = TAKEN.map((name) => parameters.get(name))
  for (const name of TAKEN) parameters.delete(name)
  const target = TARGETS.find((one) => one === (attrs ?? 'any'))
  if (target === undefined)
    throw new AddressError('whose target_session_attrs is read-write, primary or any: the forum writes')
  const hosts = names == null ? hostsOf(between) : listedHosts(names, ports ?? '')
  for (const [name, value] of Object.entries({ connect_timeout: seconds, statement_timeout: milliseconds }))
    if (value != null && !/^\d{1,7}$/.test(value)) throw new AddressError(`whose ${name} is a whole number`)
  return {
    urls: hosts.map(([name, port]) => addressOf(name, port, begin, path, parameters)),
    target,
    timeouts: {
      ...(seconds == null ? {} : { connectionTimeout: Number(seconds) * 1000 }),
      ...(milliseconds == null ? {} : { statementTimeout: Number(milliseconds) }),
    },
  }
}

/** Name and port of each host; port '': the default. */
type Hosts = (readonly [name: string, port: string])[]

/** The hosts between credentials and path. No host is the local machine. */
function hostsOf(between: string): Hosts {
  return (between === '' ? 'localhost' : between).split(',').map((entry) => {
    const [, name, port = ''] = HOST.exec(entry) ?? []
    if (name === undefined || Number(port) > 65_535)
      throw new AddressError('with hosts such as db.example.org:5432, with commas between')
    return [name, port]
  })
}

/** A single port applies to all hosts, otherwise each has its own. */
function listedHosts(hosts: string, ports: string): Hosts {
  const names = hosts.split(',')
  const numbers = ports.split(',')
  if (names.includes('') || (numbers.length !== 1 && numbers.length !== names.length))
    throw new AddressError('with one port for each host, or one for all')
  return names.map((name, index) => [name, numbers[index] ?? numbers[0] ?? ''])
}

/** The folder of a Unix socket can only be a parameter. */
function addressOf(name: string, port: string, begin: string, path: string, others: URLSearchParams): string {
  const parameters = new URLSearchParams(others)
  const isFolder = name.startsWith('/')
  if (isFolder) parameters.set('host', name)
  if (isFolder && port !== '') parameters.set('port', port)
  const isBareIpv6 = name.includes(':') && !name.startsWith('[')
  const host = isFolder ? 'localhost' : `${isBareIpv6 ? `[${name}]` : name}${port && `:${port}`}`
  const url = `${begin}${host}${path}${parameters.size === 0 ? '' : `?${parameters}`}`
  if (!URL.canParse(url)) throw new AddressError('such as postgres://user:password@host/database')
  return url
}

export const SESSION_STATE = `
  select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`

/**
 * @param state the row of SESSION_STATE
 * @throws Error when the session's server does not have the required role; it may be promoted soon:
 * failures.ts
 */
export function checkTarget(state: unknown, target: SessionTarget, host: string): void {
  if (target === 'any') return
  const { is_standby, is_read_only } = state as { is_standby: boolean; is_read_only: boolean }
  if (is_standby) throw coded('25006', `${host} is a standby`)
  if (target === 'read-write' && is_read_only) throw coded('25006', `${host} can only be read`)
}

/** An error with an SQLSTATE. */
const coded = (code: string, message: string) => Object.assign(new Error(message), { code })

/** Connections whose server no longer has the required role: they end instead of being used again. */
const demoted = new WeakSet<object>()

/** Calls back when the server reports that its session has become read-only, which it does since PostgreSQL 14. */
export function whenDemoted(client: pg.Client, act: () => void = () => demoted.add(client)): void {
  client.connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
    const isAboutWriting = /^(default_transaction_read_only|in_hot_standby)$/.test(status.parameterName)
    if (isAboutWriting && status.parameterValue === 'on') act()
  })
}

/**
 * What can be had of the first available host, tried in order like libpq.
 * @throws Error the only host's own; of several, one that has all reasons
 */
async function firstAvailable<Host, Result>(
  hosts: readonly Host[],
  attempt: (host: Host) => Promise<Result>,
): Promise<Result> {
  const failures: unknown[] = []
  for (const host of hosts)
    try {
      return await attempt(host)
    } catch (error) {
      if (!leadsToNextHost(error)) throw error
      failures.push(error)
    }
  if (failures.length === 1) throw failures[0]
  const reasons = failures.map((one) => (one instanceof Error ? one.message : String(one)))
  throw coded('08001', reasons.join('; '))
}

/**
 * Opens one connection outside any pool, to the first available host. If the URL asks for a writable server, it closes
 * when the server becomes read-only.
 * @throws Error when no host is available
 */
export async function openClient(url: string, options: pg.ClientConfig = {}): Promise<pg.Client> {
  const { urls, target } = readAddresses(url)
  return firstAvailable(urls, async (connectionString) => {
    const client = new pg.Client({ ...options, connectionString })
    // Without a listener, a broken connection would end the process; 'end' is emitted as well.
    client.on('error', () => undefined)
    try {
      await client.connect()
      if (target === 'any') return client
      const { rows } = await client.query(SESSION_STATE)
      checkTarget(rows[0], target, client.host)
      whenDemoted(client, () => client.connection.stream.destroy())
      return client
    } catch (error) {
      // A frozen server does not answer a graceful close.
      client.connection.stream.destroy()
      throw error
    }
  })
}

/**
 * Whether to try the next host after this failure. Not when the server refuses the account (as in libpq), nor
 * when all connections to the right server are in use.
 */
function leadsToNextHost(error: unknown): boolean {
  return isUnavailable(error) && !/timeout exceeded|Too many queries/.test(String(error))
}

/** How long a failed host is tried after the others. */
const AVOIDED_MS = 5000

/** Maximum number of queries that wait for a connection; further ones fail immediately. */
const MAX_WAITING = 1000

/** Connections to the first available of several hosts, each with a pool. */
export class HostPools implements PostgresPool {
  readonly options: PostgresPool['options']
  private readonly pools: readonly pg.Pool[]
  private readonly failedAt = new Map<pg.Pool, number>()

  constructor(pools: readonly pg.Pool[]) {
    this.pools = pools
    this.options = pools[0]?.options ?? {}
  }

  async connect(): Promise<pg.PoolClient> {
    // An unbounded queue would take memory, and most of it would time out anyway.
    if (this.use().waiting >= MAX_WAITING) throw new Error('Too many queries wait for a connection')
    const now = Date.now()
    const isAvoided = (pool: pg.Pool) => Number(now - (this.failedAt.get(pool) ?? 0) < AVOIDED_MS)
    const inOrder = this.pools.toSorted((one, other) => isAvoided(one) - isAvoided(other))
    return firstAvailable(inOrder, (pool) => this.connectTo(pool))
  }

  /** Open connections, idle connections, and queries waiting for one. */
  use() {
    const sum = (count: 'totalCount' | 'idleCount' | 'waitingCount') =>
      this.pools.reduce((total, pool) => total + pool[count], 0)
    return { open: sum('totalCount'), idle: sum('idleCount'), waiting: sum('waitingCount') }
  }

  async end(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()))
  }

  /** Closes connections whose server was demoted while they were idle. */
  private async connectTo(pool: pg.Pool): Promise<pg.PoolClient> {
    // While one query tests whether the host is back, the others use another one.
    if (this.failedAt.has(pool)) this.failedAt.set(pool, Date.now())
    try {
      let client = await pool.connect()
      while (demoted.has(client)) {
        client.release(true)
        client = await pool.connect()
      }
      this.failedAt.delete(pool)
      return client
    } catch (error) {
      if (leadsToNextHost(error)) this.failedAt.set(pool, Date.now())
      throw error
    }
  }
}

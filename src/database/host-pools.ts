import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { failureOf, leadsToNextHost } from './session-target.ts'

/** How long a failed host is tried after the others. */
const AVOIDED_MS = 5000

/** Maximum number of queries that wait for a connection; further ones fail immediately. */
const MAX_WAITING = 1000

/** A host's pool. */
export interface HostPool {
  readonly pool: pg.Pool
  /** Whether a connection's server no longer has the required role. */
  isDemoted(client: pg.PoolClient): boolean
}

/** Connections to the first available of several hosts, tried in order like libpq. */
export class HostPools implements PostgresPool {
  readonly options: PostgresPool['options']
  private readonly hosts: readonly HostPool[]
  private readonly failedAt = new Map<HostPool, number>()

  constructor(hosts: readonly HostPool[], options: PostgresPool['options']) {
    this.hosts = hosts
    this.options = options
  }

  async connect(): Promise<pg.PoolClient> {
    // An unbounded queue would take memory, and most of it would time out anyway.
    if (this.use().waiting >= MAX_WAITING) throw new Error('Too many queries wait for a connection')
    const failures: unknown[] = []
    for (const host of this.inOrder()) {
      // While one query tests whether the host is back, the others use another one.
      if (this.failedAt.has(host)) this.failedAt.set(host, Date.now())
      try {
        const client = await connectTo(host)
        this.failedAt.delete(host)
        return client
      } catch (error) {
        if (!leadsToNextHost(error)) throw error
        if (this.hosts.length > 1) this.failedAt.set(host, Date.now())
        failures.push(error)
      }
    }
    throw failureOf(failures)
  }

  /** Open connections, idle connections, and queries waiting for one. */
  use(): { open: number; idle: number; waiting: number } {
    const sum = (count: (pool: pg.Pool) => number) =>
      this.hosts.reduce((total, { pool }) => total + count(pool), 0)
    return {
      open: sum((pool) => pool.totalCount),
      idle: sum((pool) => pool.idleCount),
      waiting: sum((pool) => pool.waitingCount),
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.hosts.map(({ pool }) => pool.end()))
  }

  private inOrder(): HostPool[] {
    const now = Date.now()
    const isAvoided = (host: HostPool) =>
      now - (this.failedAt.get(host) ?? Number.NEGATIVE_INFINITY) < AVOIDED_MS
    return [...this.hosts.filter((host) => !isAvoided(host)), ...this.hosts.filter(isAvoided)]
  }
}

/** Closes connections whose server was demoted while they were idle. */
async function connectTo({ pool, isDemoted }: HostPool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect()
    if (!isDemoted(client)) return client
    client.release(true)
  }
}

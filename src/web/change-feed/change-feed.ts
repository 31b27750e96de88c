import type pg from 'pg'
import { openClient } from '../../database/client.ts'
import { type Change, readChange } from './change.ts'

/** Is told of changes. Both are called synchronously and must not throw. */
export interface Listener {
  changed(change: Change): void
  /** The connection is lost: changes are missed from now on, until `isLive` says otherwise. */
  lost(): void
}

/** How long the connection may stay silent before it counts as lost, and the pause before it is opened again. */
const HEARTBEAT_MS = 1000
const RECONNECT_MS = 250

/**
 * Receives, on a database connection of its own, what every process of the forum and every command changes. While that
 * connection is lost nothing is received, and `isLive` is false.
 */
export class ChangeFeed {
  private readonly url: string
  private readonly listeners = new Set<Listener>()
  private client: pg.Client | null = null
  private roundTrip: Promise<void> = Promise.resolve()
  private nextRoundTrip: Promise<void> | null = null
  private reconnect: NodeJS.Timeout | null = null
  private heartbeat: NodeJS.Timeout | null = null
  private isClosed = false
  private count = 0

  /** @param url of the database */
  constructor(url: string) {
    this.url = url
  }

  get isLive(): boolean {
    return this.client !== null
  }

  /** How many changes were received: between two equal numbers there was none. */
  get received(): number {
    return this.count
  }

  /** Connects, and reconnects until it is closed. Resolves after the first attempt, also where that failed. */
  async open(): Promise<void> {
    try {
      const client = await openClient(this.url, {
        application_name: 'handup changes',
        connectionTimeoutMillis: 2 * HEARTBEAT_MS,
        keepAlive: true,
      })
      await this.begin(client)
    } catch {
      this.openLater()
    }
  }

  private async begin(client: pg.Client): Promise<void> {
    client.on('end', () => this.lose(client))
    client.on('notification', ({ payload }) => this.receive(payload ?? ''))
    try {
      await client.query({ text: 'listen changes', query_timeout: 2 * HEARTBEAT_MS } as pg.QueryConfig)
    } catch (error) {
      // A server that is frozen never answers the end of a connection.
      client.connection.stream.destroy()
      throw error
    }
    if (this.isClosed) return await client.end()
    this.client = client
    // Something may have changed before the connection was there.
    this.count += 1
    this.heartbeat = setInterval(() => void this.beat(client), HEARTBEAT_MS).unref()
  }

  /** @returns what removes the listener */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /**
   * Resolves when each change committed before the call has been received, or the connection is lost. PostgreSQL notifies
   * listeners before it confirms a commit, and sends a connection what is pending before the answer to its next query. Calls
   * during a round trip share the next one.
   */
  caughtUp(): Promise<void> {
    this.nextRoundTrip ??= this.roundTrip.then(() => {
      this.nextRoundTrip = null
      this.roundTrip = this.query()
      return this.roundTrip
    })
    return this.nextRoundTrip
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.reconnect !== null) clearTimeout(this.reconnect)
    const { client } = this
    if (client === null) return
    this.lose(client)
    // A server that is frozen never answers the end of a connection.
    const timeout = setTimeout(() => client.connection.stream.destroy(), HEARTBEAT_MS)
    await client.end().catch(() => undefined)
    clearTimeout(timeout)
  }

  private async query(): Promise<void> {
    const { client } = this
    if (client === null) return
    try {
      await client.query('')
    } catch {
      // Whether it received everything until now is not known.
      this.cut(client)
    }
  }

  private async beat(client: pg.Client): Promise<void> {
    let hasAnswered = false
    const cut = () => {
      if (!hasAnswered) this.cut(client)
    }
    // After this process stood still, the answer may be there and unread: it is read before an immediate runs.
    const timeout = setTimeout(() => setImmediate(cut), HEARTBEAT_MS)
    await this.caughtUp()
    hasAnswered = true
    clearTimeout(timeout)
  }

  private receive(text: string): void {
    this.count += 1
    const change = readChange(text)
    for (const listener of this.listeners) listener.changed(change)
  }

  /** Gives up a connection that may never report its end. */
  private cut(client: pg.Client): void {
    this.lose(client)
    client.connection.stream.destroy()
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return
    this.client = null
    this.count += 1
    if (this.heartbeat !== null) clearInterval(this.heartbeat)
    for (const listener of this.listeners) listener.lost()
    this.openLater()
  }

  private openLater(): void {
    if (!this.isClosed) this.reconnect = setTimeout(() => void this.open(), RECONNECT_MS).unref()
  }
}

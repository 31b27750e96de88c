import pg from 'pg'
import { type Change, readChange } from './change.ts'

/** Who hears of changes. Both are called at once, one after another, and must not throw. */
export interface Listener {
  /** @returns when it has done all that follows from the change; nothing: at once. Must not reject */
  changed(change: Change): Promise<void> | void
  /** The connection is lost: changes are missed from now on, until `isLive` says otherwise. */
  lost(): void
}

/** How long a connection may stay silent before it counts as lost, and how soon a lost one is made anew, in milliseconds. */
const PULSE = 1000
const RETRY = 250

/**
 * Hears on a connection of its own what every process of the forum, and every command, changes. Without that connection
 * nothing is heard, and `isLive` says so.
 */
export class Changes {
  private readonly url: string
  private readonly listeners = new Set<Listener>()
  private client: pg.Client | null = null
  private asked: Promise<void> = Promise.resolve()
  private next: Promise<void> | null = null
  private readonly following = new Set<Promise<void>>()
  private retry: NodeJS.Timeout | null = null
  private pulse: NodeJS.Timeout | null = null
  private isClosed = false
  private count = 0

  constructor(url: string) {
    this.url = url
  }

  get isLive(): boolean {
    return this.client !== null
  }

  /** How many changes were heard: between two equal numbers there was none. */
  get heard(): number {
    return this.count
  }

  /** Begins to listen, and keeps at it until it is closed. A database that is away is tried again and again. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'handup changes',
      connectionTimeoutMillis: 2 * PULSE,
      query_timeout: 2 * PULSE,
      keepAlive: true,
    })
    client.on('error', () => undefined)
    client.on('end', () => this.lose(client))
    client.on('notification', ({ payload }) => this.hear(payload ?? ''))
    try {
      await client.connect()
      await client.query('listen changes')
      if (this.isClosed) return await client.end()
      this.client = client
      // Something may have changed while nobody listened.
      this.count += 1
      this.pulse = setInterval(() => void this.feelPulse(client), PULSE).unref()
    } catch {
      await client.end().catch(() => undefined)
      this.tryAgain()
    }
  }

  /** @returns what ends it */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Resolves when each change committed before the call has been heard, and all that follows from it here is done. */
  async caughtUp(): Promise<void> {
    await this.heardAll()
    await Promise.all(this.following)
  }

  async close(): Promise<void> {
    this.isClosed = true
    if (this.retry !== null) clearTimeout(this.retry)
    const { client } = this
    if (client === null) return
    this.lose(client)
    // A server that is frozen never answers the farewell.
    const impatience = setTimeout(() => client.connection.stream.destroy(), PULSE)
    await client.end().catch(() => undefined)
    clearTimeout(impatience)
  }

  /**
   * Resolves when each change committed before the call has been heard, or the connection is lost. PostgreSQL signals its
   * listeners before it confirms a commit, and hands a listener what is pending before it is ready for the next query: the
   * answer to a query asked now comes after those changes. Calls that come while one is asked share the next one.
   */
  private heardAll(): Promise<void> {
    this.next ??= this.asked.then(() => {
      this.next = null
      this.asked = this.ask()
      return this.asked
    })
    return this.next
  }

  private async ask(): Promise<void> {
    const { client } = this
    if (client === null) return
    try {
      await client.query('')
    } catch {
      // Whether it heard everything until now is not known.
      this.cut(client)
    }
  }

  private async feelPulse(client: pg.Client): Promise<void> {
    const silence = setTimeout(() => this.cut(client), PULSE)
    await this.heardAll()
    clearTimeout(silence)
  }

  private hear(text: string): void {
    this.count += 1
    const change = readChange(text)
    for (const listener of this.listeners) this.follow(listener.changed(change))
  }

  private follow(doing: Promise<void> | void): void {
    if (doing === undefined) return
    this.following.add(doing)
    void doing.finally(() => this.following.delete(doing))
  }

  /** Gives up a connection that may never say that it has ended. */
  private cut(client: pg.Client): void {
    this.lose(client)
    client.connection.stream.destroy()
  }

  private lose(client: pg.Client): void {
    if (this.client !== client) return
    this.client = null
    this.count += 1
    if (this.pulse !== null) clearInterval(this.pulse)
    for (const listener of this.listeners) listener.lost()
    this.tryAgain()
  }

  private tryAgain(): void {
    if (!this.isClosed) this.retry = setTimeout(() => void this.open(), RETRY).unref()
  }
}

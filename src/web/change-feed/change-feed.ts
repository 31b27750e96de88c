import type pg from 'pg'
import { z } from 'zod'
import { openClient } from '../../database/hosts.ts'
import { ScopeClock } from '../scoped-cache/scope-clock.ts'

const id = z.number().int()

const message = z.object({
  /** A row of this question changed: of itself, or of its answers, replies, tags or followers. */
  question: id.optional(),
  /** With a question: its course. Alone: the course itself, its lectures, categories or staff. */
  course: id.optional(),
  /** Something of this person that a session or a profile goes by. */
  person: id.optional(),
  /** A job of this kind was added: src/jobs. */
  job: z.string().optional(),
  /** Events have numbers up to this one: src/forum/events. */
  events: id.optional(),
  /** Scopes that the change touches; `*`: all there are. */
  scopes: z.array(z.string()),
})

/** What a committed transaction changed, as db/schema/functions/changes.sql announces it on channel `changes`: ids, no data. */
export type Change = Readonly<z.infer<typeof message>>

/** Reads a message of the channel. One that is not understood may be about anything. */
function readChange(text: string): Change {
  try {
    return message.parse(JSON.parse(text))
  } catch {
    return { scopes: ['*'] }
  }
}

export function touchesEverything({ scopes }: Change): boolean {
  return scopes.includes('*')
}

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
 * Receives, on a database connection of its own, what every process of the forum and every command changes.
 * While that connection is lost nothing is received, and `isLive` is false.
 */
export class ChangeFeed {
  /** Counts what is received: between two equal times nothing was. */
  readonly clock = new ScopeClock()
  private readonly url: string
  private readonly listeners = new Set<Listener>()
  private client: pg.Client | null = null
  private roundTrip: Promise<void> = Promise.resolve()
  private nextRoundTrip: Promise<void> | null = null
  private reconnect: NodeJS.Timeout | undefined
  private heartbeat: NodeJS.Timeout | undefined
  private isClosed = false

  /** @param url of the database */
  constructor(url: string) {
    this.url = url
  }

  get isLive(): boolean {
    return this.client !== null
  }

  /** Connects, and reconnects until it is closed. Resolves after the first attempt, also where that failed. */
  async open(): Promise<void> {
    let client: pg.Client | null = null
    try {
      client = await openClient(this.url, {
        application_name: 'handup changes',
        connectionTimeoutMillis: 2 * HEARTBEAT_MS,
        keepAlive: true,
      })
      await this.begin(client)
    } catch {
      client?.connection.stream.destroy()
      this.openLater()
    }
  }

  private async begin(client: pg.Client): Promise<void> {
    client.on('end', () => this.lose(client))
    client.on('notification', ({ payload }) => this.receive(payload ?? ''))
    await client.query({ text: 'listen changes', query_timeout: 2 * HEARTBEAT_MS } as pg.QueryConfig)
    if (this.isClosed) return await client.end()
    this.client = client
    // Something may have changed before the connection was there.
    this.clock.touch(['*'])
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
    clearTimeout(this.reconnect)
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
    // Whether it received everything until a failure is not known.
    await client.query('').catch(() => this.cut(client))
  }

  private async beat(client: pg.Client): Promise<void> {
    // After this process stood still, the answer may be there and unread: it is read before an immediate runs.
    let cut: NodeJS.Immediate | undefined
    const timeout = setTimeout(() => {
      cut = setImmediate(() => this.cut(client))
    }, HEARTBEAT_MS)
    await this.caughtUp()
    clearTimeout(timeout)
    clearImmediate(cut)
  }

  private receive(text: string): void {
    const change = readChange(text)
    const access = change.person === undefined ? [] : [`access:${change.person}`]
    this.clock.touch([...change.scopes, ...access])
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
    this.clock.touch(['*'])
    clearInterval(this.heartbeat)
    for (const listener of this.listeners) listener.lost()
    this.openLater()
  }

  private openLater(): void {
    if (!this.isClosed) this.reconnect = setTimeout(() => void this.open(), RECONNECT_MS).unref()
  }
}

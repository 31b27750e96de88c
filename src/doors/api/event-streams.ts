import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type EventLog, eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { eventsAfter } from '../../forum/events/event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { type Change, touchesEverything } from '../../web/change-feed/change-feed.ts'
import { beginStream, isGone, KEEP_ALIVE_MS, writeTo } from '../../web/event-stream.ts'
import { networkOf } from '../../web/limits/limits.ts'
import { Turns } from '../../web/limits/turns.ts'
import { nameOf, tokenIn } from './access.ts'
import { eventItem, eventSchema } from './events.ts'
import { ApiProblem } from './problem.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly eventStreams: EventStreams
  }
}

/** Streams at once: of one account, of one network, and of all in one process. */
const MAX = { account: 5, network: 50, all: 2000 }
/** Events that are read at a time. */
const PAGE = 20
/** How long a stream waits until somebody takes what they were sent. */
const PATIENCE_MS = 30_000
/** How often it is asked whether a token's time is over. */
const CHECK_MS = 1000

interface Stream {
  readonly request: FastifyRequest
  /** What it counts as; null: nothing but its network. */
  readonly account: string | null
  readonly network: string
  readonly response: ServerResponse
  /** null: of all courses. */
  readonly course: { readonly id: number; readonly slug: string } | null
  /** What its token allowed as it began; empty: it has none. */
  readonly rights: string
  /** The number of the last event that it was told of, or may not be told of. */
  known: number
  readonly ended: AbortSignal
  /** It is being told; true: there may be more since. */
  busy: boolean | null
}

/** Programs of this process that are told of events as these are numbered, each with its rights of that moment. */
export class EventStreams {
  private readonly app: FastifyInstance
  private readonly streams = new Set<Stream>()
  /** The database has others to answer as well. */
  private readonly turns = new Turns({
    ...{ room: 4, waiting: MAX.all, waitingOfName: MAX.all, patience: PATIENCE_MS },
  })
  /** The last number that was heard of. */
  private newest = 0

  constructor(app: FastifyInstance) {
    this.app = app
  }

  get size(): number {
    return this.streams.size
  }

  /**
   * Answers with the events after a number, and with all that follow.
   * @throws ApiProblem 429 for too many streams, Problem 503 where nobody would tell it of more
   */
  begin(
    request: FastifyRequest,
    reply: FastifyReply,
    { course, known, log }: Pick<Stream, 'course' | 'known'> & { readonly log: EventLog },
  ): void {
    const place = {
      account: request.tokenAccess === null ? null : nameOf(request),
      network: networkOf(request.ip),
    }
    this.requireRoom(place)
    const { isClosing, changes } = this.app
    if (isClosing || changes?.isLive !== true || isGone(reply)) throw new Problem('unavailable', 60)
    const response = beginStream(reply)
    const ending = new AbortController()
    const rights = rightsOf(request.tokenAccess)
    const state = { known, ended: ending.signal, busy: null }
    const stream: Stream = { request, ...place, response, course, rights, ...state }
    this.streams.add(stream)
    response.once('close', () => {
      this.streams.delete(stream)
      ending.abort()
    })
    response.on('error', () => this.streams.delete(stream))
    this.newest = Math.max(this.newest, log.numberedTo)
    this.look(stream)
  }

  private requireRoom({ account, network }: Pick<Stream, 'account' | 'network'>): void {
    const countOf = (isSame: (stream: Stream) => boolean) => [...this.streams].filter(isSame).length
    const isFull =
      this.size >= MAX.all ||
      countOf((one) => one.network === network) >= MAX.network ||
      (account !== null && countOf((one) => one.account === account) >= MAX.account)
    if (isFull) throw new ApiProblem('tooOften', { headers: { 'retry-after': '60' } })
  }

  /** Tells of new events, and ends streams whose right to read may have ended, where it has. */
  hear(change: Change): void {
    const { events, person, question, job, scopes } = change
    this.newest = Math.max(this.newest, events ?? 0)
    const isOfCourse = question === undefined && job === undefined && scopes.some(isOfAccess)
    const isOfAll = isOfCourse || touchesEverything(change)
    for (const stream of this.streams) {
      const isOfReader = isOfAll || (person !== undefined && stream.request.person?.id === person)
      // While it waits for a reader who takes nothing, it is ended all the same.
      if (isOfReader)
        void this.attempt(
          stream,
          this.inTurn(stream, () => this.endUnlessAllowed(stream)),
        )
      if (events !== undefined) this.look(stream)
    }
  }

  /** Says nothing, but up to where there was nothing to say, so that whatever is in between keeps the connection. */
  async keepAlive(): Promise<void> {
    if (this.streams.size === 0) return
    const log = await readEventLog(this.app.db)
    for (const { response, known } of this.streams) writeTo(response, `:\nid: ${eventCursor(log, known)}\n\n`)
  }

  /** Ends those whose token's time is over. */
  endExpired(now: number): void {
    this.end(({ request }) => (request.tokenAccess?.endsAt.getTime() ?? now + 1) <= now)
  }

  end(isMeant: (stream: Stream) => boolean): void {
    for (const stream of [...this.streams].filter(isMeant)) {
      this.streams.delete(stream)
      stream.response.end()
    }
  }

  private look(stream: Stream): void {
    if (stream.busy !== null) {
      stream.busy = true
      return
    }
    stream.busy = false
    void this.attempt(stream, this.tell(stream)).then(() => {
      const isStale = stream.busy === true
      stream.busy = null
      if (isStale && this.streams.has(stream)) this.look(stream)
    })
  }

  private async attempt(stream: Stream, work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!stream.ended.aborted) this.app.log.warn({ err: error }, 'a stream of events was ended')
      // Whoever it is asks again, from where they are.
      stream.response.destroy()
    }
  }

  private async tell(stream: Stream): Promise<void> {
    for (let isMore = true; isMore; ) {
      const page = await this.inTurn(stream, () => this.next(stream))
      if (page === null) return
      for (const { number, text } of page.told) {
        if (stream.response.writableEnded || stream.response.destroyed) return
        const signal = AbortSignal.any([stream.ended, AbortSignal.timeout(PATIENCE_MS)])
        stream.known = number
        if (!stream.response.write(text)) await once(stream.response, 'drain', { signal })
      }
      stream.known = page.through
      isMore = page.hasMore
    }
  }

  private async inTurn<Value>({ ended: signal }: Stream, work: () => Promise<Value>): Promise<Value> {
    const giveBack = await this.turns.take({ size: 1, signal })
    return work().finally(giveBack)
  }

  /** What to tell next; null: there is nothing, or the stream was ended. */
  private async next(stream: Stream) {
    const { request, course, known } = stream
    const reader = await this.endUnlessAllowed(stream)
    if (reader === undefined || known >= this.newest) return null
    const { db } = this.app
    const log = await readEventLog(db)
    const asked = { after: known, courseId: course?.id ?? null, limit: PAGE }
    const { rows, ...page } = await eventsAfter(db, reader, log, asked)
    const told = rows.map((row) => {
      const { links: _, ...item } = eventItem(request, log, row)
      const data = JSON.stringify(eventSchema.parse(item))
      return { number: row.number, text: `id: ${item.id}\nevent: ${item.type}\ndata: ${data}\n\n` }
    })
    return { told, ...page }
  }

  /** Who reads, with their rights of now; undefined: it was ended. */
  private async endUnlessAllowed(stream: Stream): Promise<Person | null | undefined> {
    const reader = await this.readerOf(stream)
    if (reader === undefined) this.end((one) => one === stream)
    return reader
  }

  /** undefined: the rights aren't what they were, or the course isn't there for the reader. */
  private async readerOf({ request, rights, course }: Stream): Promise<Person | null | undefined> {
    const token = tokenIn(request)
    const access = token === null ? null : await this.app.apiTokens.accessOf(token)
    if (rightsOf(access) !== rights) return undefined
    const person = access?.person ?? null
    if (course === null) return person
    const found = await this.app.courses.findCourse(course.slug)
    return found?.id === course.id && isVisible(person, found) ? person : undefined
  }
}

/** Scopes of changes that can be about a course token, or about all courses. */
const isOfAccess = (scope: string) => scope.startsWith('course:')

function rightsOf(access: FastifyRequest['tokenAccess']): string {
  if (access === null) return ''
  const { isAdmin, roles } = access.person
  return JSON.stringify([access.tokenId, access.scopes, isAdmin, Object.entries(roles).sort()])
}

export function registerEventStreams(app: FastifyInstance): void {
  const streams = new EventStreams(app)
  app.decorate('eventStreams', streams)
  const stop = app.changes?.listen({
    changed: (change) => streams.hear(change),
    // They come again, from where they are.
    lost: () => streams.end(() => true),
  })
  const keepAlive = () =>
    streams
      .keepAlive()
      .catch((error) => app.log.warn({ err: error }, 'streams of events were not kept alive'))
  const timers = [
    setInterval(keepAlive, KEEP_ALIVE_MS).unref(),
    setInterval(() => streams.endExpired(Date.now()), CHECK_MS).unref(),
  ]
  // Before the server waits for its connections to end: these would not by themselves.
  app.addHook('preClose', async () => {
    for (const timer of timers) clearInterval(timer)
    stop?.()
    streams.end(() => true)
  })
}

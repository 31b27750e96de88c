import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isbot } from 'isbot'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly views: ViewCounter
  }
}

/** How long views wait in memory, in milliseconds. */
const FLUSH_EVERY = 5000
/** Beyond this many the batch is written at once: memory stays bounded whatever the traffic. */
const MOST_WAITING = 5000

/** Milliseconds. */
const DAY = 24 * 60 * 60_000
/** Visitors remembered, so that who reads on costs nothing more than the page: some 300 bytes each. */
const REMEMBERED = 5000

/** A request as far as views go. */
export interface Viewing {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The address it came from, as far as proxies are believed. */
  readonly ip: string
  /** null: a visitor. */
  readonly person: { readonly id: number } | null
}

interface Visitor {
  readonly name: string
  readonly hash: Buffer
}

interface View {
  readonly questionId: number
  readonly visitor: Buffer
}

/**
 * Counts one view per visitor, question and day (UTC). Crawlers, prefetches and the author's own views do not count.
 * Views are kept in memory and written in batches; the table question_views knows who came already.
 */
export class ViewCounter {
  private readonly db: Database
  private readonly secret: string
  private readonly visitors = new LRUCache<string, { readonly visitor: Visitor | null }>({ max: REMEMBERED })
  private waiting = new Map<string, View>()
  private writing: Promise<void> = Promise.resolve()

  constructor(db: Database, secret: string) {
    this.db = db
    this.secret = secret
  }

  /** Notes a view of a question's page, unless it is one that does not count. */
  note(viewing: Viewing, question: { id: number; authorId: number }): void {
    if (viewing.method !== 'GET' || viewing.person?.id === question.authorId) return
    if (viewing.headers['sec-purpose'] !== undefined) return
    const visitor = this.visitorOf(viewing)
    if (visitor === null) return
    this.waiting.set(`${question.id} ${visitor.name}`, { questionId: question.id, visitor: visitor.hash })
    if (this.waiting.size >= MOST_WAITING) void this.flush()
  }

  /** Writes what waits. Batches follow one another; one that fails waits for the next time. */
  flush(): Promise<void> {
    this.writing = this.writing.then(async () => {
      const batch = this.waiting
      if (batch.size === 0) return
      this.waiting = new Map()
      try {
        await writeViews(this.db, [...batch.values()])
      } catch (error) {
        if (batch.size < MOST_WAITING) for (const [key, view] of batch) this.waiting.set(key, view)
        throw error
      }
    })
    const written = this.writing
    this.writing = written.catch(() => undefined)
    return written
  }

  /** Who it is for one day: a keyed hash, so that nobody can be followed from one day to the next. null: a crawler. */
  private visitorOf({ headers, ip, person }: Viewing): Visitor | null {
    const agent = headers['user-agent'] ?? ''
    const day = Math.floor(Date.now() / DAY)
    const who = person === null ? `${ip} ${agent}` : `person ${person.id}`
    const name = `${day} ${who}`
    const known = this.visitors.get(name)
    if (known !== undefined) return known.visitor
    const visitor = agent === '' || isbot(agent) ? null : this.visitorCalled(name)
    this.visitors.set(name, { visitor })
    return visitor
  }

  private visitorCalled(name: string): Visitor {
    const hash = createHmac('sha256', this.secret).update(name).digest().subarray(0, 16)
    return { name: hash.toString('base64'), hash }
  }
}

/** Counts views while the app runs, and writes the last of them before it ends. */
export function registerViewCounter(app: FastifyInstance, secret: string): void {
  const views = new ViewCounter(app.db, secret)
  const flush = () =>
    views.flush().catch((error: unknown) => app.log.warn({ err: error }, 'views not written yet'))
  const timer = setInterval(flush, FLUSH_EVERY)
  timer.unref()
  app.decorate('views', views)
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush()
  })
}

/** One statement: visitors new today are noted, and each question counts as many as were new. */
async function writeViews(db: Database, views: readonly View[]): Promise<void> {
  const questions = views.map((view) => view.questionId)
  const visitors = views.map((view) => view.visitor)
  await sql`
    with seen as (
      insert into question_views (day, question_id, visitor)
      select (now() at time zone 'UTC')::date, * from unnest(${questions}::bigint[], ${visitors}::bytea[])
      on conflict do nothing
      returning question_id
    ), counted as (
      select question_id, count(*) as views from seen group by question_id
    )
    update questions set views_count = views_count + counted.views
    from counted where questions.id = counted.question_id`.execute(db)
}

/** Forgets who came before yesterday. @returns how many rows went */
export async function sweepViews(db: Database): Promise<number> {
  const swept = await db
    .deleteFrom('question_views')
    .where('day', '<', sql<string>`(now() at time zone 'UTC')::date - 1`)
    .executeTakeFirst()
  return Number(swept.numDeletedRows)
}

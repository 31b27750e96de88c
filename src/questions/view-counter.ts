import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isbot } from 'isbot'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/schema.ts'
import { sweep } from '../database/sweep.ts'
import { type View, type Visitor, WaitingViews } from './waiting-views.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly views: ViewCounter
  }
}

/** How often it is looked which views are to be written, in milliseconds. */
const FLUSH_EVERY = 5000
/** Beyond this many all are written at once: memory stays bounded whatever the traffic. */
const MOST_WAITING = 20_000

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

/** A question somebody looks at. */
export interface Viewed {
  readonly id: number
  readonly authorId: number
  /** How often it was viewed so far. */
  readonly viewsCount: number
}

/**
 * Counts one view per visitor, question and day (UTC). Crawlers, prefetches and the author's own views do not count.
 * Views are kept in memory and written in batches; the table question_views knows who came already.
 */
export class ViewCounter {
  private readonly db: Database
  private readonly secret: string
  private readonly visitors = new LRUCache<string, { readonly visitor: Visitor | null }>({ max: REMEMBERED })
  private readonly waiting = new WaitingViews()
  private writing: Promise<void> = Promise.resolve()

  constructor(db: Database, secret: string) {
    this.db = db
    this.secret = secret
  }

  /** Notes a view of a question's page, unless it is one that does not count. */
  note(viewing: Viewing, question: Viewed): void {
    if (viewing.method !== 'GET' || viewing.person?.id === question.authorId) return
    if (viewing.headers['sec-purpose'] !== undefined) return
    const visitor = this.visitorOf(viewing)
    if (visitor === null) return
    this.waiting.add({ questionId: question.id, viewsCount: question.viewsCount, visitor })
    if (this.waiting.size >= MOST_WAITING) void this.flush()
  }

  /**
   * Writes what waits. Batches follow one another; one that fails waits for the next time.
   * @param isAll also what could wait longer
   */
  flush(isAll = true): Promise<void> {
    this.writing = this.writing.then(async () => {
      const batch = this.waiting.take(isAll)
      if (batch.length === 0) return
      try {
        await writeViews(this.db, batch)
      } catch (error) {
        if (batch.length < MOST_WAITING) for (const view of batch) this.waiting.add(view)
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
  const flush = (isAll: boolean) =>
    views.flush(isAll).catch((error: unknown) => app.log.warn({ err: error }, 'views not written yet'))
  const timer = setInterval(() => flush(false), FLUSH_EVERY)
  timer.unref()
  app.decorate('views', views)
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush(true)
  })
}

/** One statement: visitors new today are noted, and each question counts as many as were new. */
async function writeViews(db: Database, views: readonly View[]): Promise<void> {
  const questions = views.map((view) => view.questionId)
  const visitors = views.map((view) => view.visitor.hash)
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
export function sweepViews(db: Database): Promise<number> {
  return sweep(db, 'question_views', sql`day < (now() at time zone 'UTC')::date - 1`)
}

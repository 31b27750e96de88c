import { createHmac } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { isbot } from 'isbot'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { sweep } from '../../database/terms.ts'
import { VIEWS } from '../../kernel/limits.ts'
import { atMost } from '../../text/words/remembered.ts'
import { networkOf } from '../../web/limits/limits.ts'
import type { Viewing } from '../../web/page-cache/rendering.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly views: ViewCounter
  }
}

const FLUSH_INTERVAL_MS = 5000
/** From this many on views are written at once: memory stays bounded whatever the traffic. */
const MAX_WAITING = 20_000

const DAY_MS = 24 * 60 * 60_000
/** Visitors in memory, at some 300 bytes each: hashing and recognising crawlers is done once for somebody who reads on. */
const MAX_VISITORS = 5000

/**
 * Counts one view per visitor, question and day (UTC). Crawlers, prefetches and the author's own views do not count.
 * Views are kept in memory and written in batches; the table question_views holds today's visitors, and from which network:
 * one gives a question no more than VIEWS (kernel/limits.ts) in an hour, whatever browsers it says it has.
 */
export class ViewCounter {
  private readonly db: Database
  private readonly secret: string
  private readonly visitors = new LRUCache<string, { readonly visitor: Visitor | null }>(atMost(MAX_VISITORS))
  /** Views that are not written yet, each visitor's of a question once. */
  private waiting = new Map<string, View>()
  private writing: Promise<void> = Promise.resolve()

  constructor(db: Database, secret: string) {
    this.db = db
    this.secret = secret
  }

  /** Notes a view of a question's page, unless it is one that does not count. */
  note(viewing: Viewing, question: { readonly id: number; readonly authorId: number }): void {
    if (viewing.method !== 'GET' || viewing.person?.id === question.authorId) return
    if (viewing.headers['sec-purpose'] !== undefined) return
    const visitor = this.visitorOf(viewing)
    if (visitor === null) return
    this.waiting.set(`${question.id} ${visitor.name}`, { questionId: question.id, visitor })
    if (this.waiting.size >= MAX_WAITING) void this.flush()
  }

  /** Writes the views that wait, one batch after another. A batch that fails waits for the next flush. */
  flush(): Promise<void> {
    this.writing = this.writing.then(async () => {
      const batch = this.waiting
      if (batch.size === 0) return
      this.waiting = new Map()
      try {
        await writeViews(this.db, [...batch.values()])
      } catch (error) {
        if (batch.size < MAX_WAITING) this.waiting = new Map([...batch, ...this.waiting])
        throw error
      }
    })
    const written = this.writing
    this.writing = written.catch(() => undefined)
    return written
  }

  /** Who it is for one day: keyed hashes, so that nobody can be followed from one day to the next. null: a crawler. */
  private visitorOf({ headers, ip, person }: Viewing): Visitor | null {
    const agent = headers['user-agent'] ?? ''
    const day = Math.floor(Date.now() / DAY_MS)
    const name = `${day} ${person === null ? `${ip} ${agent}` : `person ${person.id}`}`
    const known = this.visitors.get(name)
    if (known !== undefined) return known.visitor
    const visitor = agent === '' || isbot(agent) ? null : this.visitorOn(day, { agent, ip, person })
    this.visitors.set(name, { visitor })
    return visitor
  }

  private visitorOn(
    day: number,
    { agent, ip, person }: { agent: string; ip: string; person: Viewing['person'] },
  ): Visitor {
    const network = networkOf(ip)
    const hash = this.hashOf(`${day} ${person === null ? `${network} ${agent}` : `person ${person.id}`}`)
    return {
      name: hash.toString('base64'),
      hash,
      network: person === null ? this.hashOf(`${day} network ${network}`) : null,
    }
  }

  private hashOf(name: string): Buffer {
    return createHmac('sha256', this.secret).update(name).digest().subarray(0, 16)
  }
}

/** Counts views while the app runs, and writes the last of them before it ends. */
export function registerViewCounter(app: FastifyInstance, secret: string): void {
  const views = new ViewCounter(app.db, secret)
  const flush = () =>
    views.flush().catch((error: unknown) => app.log.warn({ err: error }, 'views not written yet'))
  const timer = setInterval(flush, FLUSH_INTERVAL_MS)
  timer.unref()
  app.decorate('views', views)
  app.addHook('onClose', async () => {
    clearInterval(timer)
    await flush()
  })
}

/** Deletes rows from before yesterday. @returns their number */
export function sweepViews(db: Database): Promise<number> {
  return sweep(db, 'question_views', sql`day < (now() at time zone 'UTC')::date - 1`)
}

type View = { readonly questionId: number; readonly visitor: Visitor }

interface Visitor {
  readonly name: string
  readonly hash: Buffer
  /** The network a visitor without an account is in; null: somebody signed in. */
  readonly network: Buffer | null
}

/**
 * Records the visitors who are new today, as many as their network has left in this hour, and counts one view for each, in
 * one statement. Questions are locked in the order of their ids: several processes write views at the same time.
 */
export async function writeViews(db: Database, views: readonly View[]): Promise<void> {
  const questions = views.map((view) => view.questionId)
  const visitors = views.map((view) => view.visitor.hash)
  const networks = views.map((view) => view.visitor.network)
  await sql`
    with viewed as (
      select question_id, visitor, network, (now() at time zone 'UTC')::date as day
      from unnest(${questions}::bigint[], ${visitors}::bytea[], ${networks}::bytea[])
        as viewed (question_id, visitor, network)
    ), fresh as (
      select viewed.*, row_number() over (partition by question_id, network) as place
      from viewed where not exists (
        select from question_views as known where known.day = viewed.day
          and known.question_id = viewed.question_id and known.visitor = viewed.visitor)
    ), seen as (
      insert into question_views (day, question_id, visitor, network)
      select day, question_id, visitor, network from fresh
      where network is null or place <= ${VIEWS.max} - (
        select count(*) from question_views as known
        where known.question_id = fresh.question_id and known.network = fresh.network
          and known.seen_at > now() - ${VIEWS.window} * interval '1 millisecond')
      on conflict do nothing
      returning question_id
    ), counted as (
      select question_id, count(*) as views from seen group by question_id
    ), locked as materialized (
      select id from questions where id in (select question_id from counted) order by id for no key update
    )
    update questions set views_count = views_count + counted.views
    from counted join locked on locked.id = counted.question_id
    where questions.id = counted.question_id`.execute(db)
}

import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import { Problem } from '../problem.ts'
import { networkOf } from './network.ts'
import { LIMITS } from './table.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly renderLimit: RenderLimit
  }
}

const MAX_COUNTERS = 20_000

/** Who has a page rendered. */
interface Requester {
  /** null: a visitor. */
  readonly person: { readonly id: number } | null
  readonly ip: string
}

interface Counter {
  count: number
  readonly endsAt: number
}

/**
 * Counts the pages that one account or network has this process render: those from the page cache cost next to nothing and are
 * not counted. Counted in memory, as the work that it bounds is this process's own.
 */
export class RenderLimit {
  private readonly counters = new LRUCache<string, Counter>({ max: MAX_COUNTERS })

  /** @throws Problem 429 beyond the limit `pages` */
  count({ person, ip }: Requester): void {
    const { max, window } = person === null ? LIMITS.pages.address : LIMITS.pages.account
    const key = person === null ? networkOf(ip) : `person ${person.id}`
    const now = Date.now()
    const known = this.counters.get(key)
    const counter = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + window }
    counter.count += 1
    this.counters.set(key, counter)
    if (counter.count > max)
      throw new Problem(429, 'tooOften', Math.max(1, Math.ceil((counter.endsAt - now) / 1000)))
  }
}

/**
 * Limits pages that are rendered for one request; not where all of them are, as nothing is cached. To be registered after
 * whatever answers from a cache.
 */
export function registerRenderLimit(app: FastifyInstance): void {
  app.decorate('renderLimit', new RenderLimit())
  app.addHook('preValidation', async (request) => {
    const { isPublic, limit } = request.routeOptions.config
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isCounted = isRead && request.rendering === null && isPublic !== true && limit === undefined
    if (isCounted && app.changes?.isLive === true && app.config.pageCache) app.renderLimit.count(request)
  })
}

import { crc32 } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../change-feed/scoped-cache.ts'
import { type Answer, isClosing, type PageSource, type Rendering, renderShared } from './rendering.ts'

/** A cached page shows numbers of views that are as old at the most. */
const MAX_AGE_MS = 10 * 60_000
/** A page is cached when it is requested again within this time. */
const DEMAND_MS = 10 * 60_000
const MAX_REMEMBERED_REQUESTS = 20_000

/** Makes of an answer what is cached; null: it is not for all who would get it. */
type Pack<Page> = (answer: Answer, rendering: Rendering) => Promise<Page | null> | Page | null

/** Shared pages of one kind: rendered once for all who wait for them, and cached while several ask for them. */
export class RenderedPages<Page extends { readonly size: number }> {
  readonly cache: ScopedCache<Page | Answer>
  protected readonly app: FastifyInstance
  /** Hashes of keys that were requested and not cached. */
  private readonly requested = new LRUCache<number, true>({ max: MAX_REMEMBERED_REQUESTS, ttl: DEMAND_MS })

  /** @param maxBytes of all cached pages together */
  constructor(app: FastifyInstance, feed: ChangeFeed, maxBytes: number) {
    this.app = app
    const sizeOf = (value: Page | Answer) => ('size' in value ? value.size : 0)
    this.cache = new ScopedCache(feed, { maxSize: maxBytes, sizeOf, maxAgeMs: MAX_AGE_MS })
  }

  /** @returns the answer itself where it is no page to share; null: the app closes, and renders for its own requests only */
  async find(key: string, source: PageSource, pack: Pack<Page>): Promise<Page | Answer | null> {
    try {
      return await this.cache.find(key, () => this.render(key, source, pack))
    } catch (error) {
      if (isClosing(error)) return null
      throw error
    }
  }

  private async render(key: string, source: PageSource, pack: Pack<Page>): Promise<Loaded<Page | Answer>> {
    const isRequestedAgain = this.isRequestedAgain(key)
    const { answer, rendering } = await renderShared(this.app, source)
    const page = await pack(answer, rendering)
    if (page === null) return { value: answer, scopes: null }
    const { scopes, isCacheable } = rendering
    return { value: page, scopes, isCacheable: isRequestedAgain && isCacheable && scopes.size > 0 }
  }

  private isRequestedAgain(key: string): boolean {
    const hash = crc32(key)
    const isKnown = this.requested.has(hash)
    this.requested.set(hash, true)
    return isKnown
  }
}

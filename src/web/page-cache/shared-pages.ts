import { crc32 } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../text/at-most.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { type Loaded, ScopedCache } from '../scoped-cache/scoped-cache.ts'
import { type PageSource, renderShared } from './rendering.ts'
import { type Body, type SharedPage, sharedPage, sizeOf } from './shared-page.ts'

/** A cached page shows numbers of views that are as old at the most. */
const MAX_AGE_MS = 10 * 60_000
/** A page is cached when it is requested again within this time. */
const DEMAND_MS = 10 * 60_000
const MAX_REMEMBERED_REQUESTS = 20_000

/** Shared pages: rendered once for all who wait for them, and cached while several ask for them. */
export class SharedPages<Kind extends Body> {
  readonly cache: ScopedCache<SharedPage<Kind> | null>
  private readonly app: FastifyInstance
  private readonly bodyOf: (payload: Buffer) => Kind
  /** Hashes of keys that were requested and not cached. */
  private readonly requested = new LRUCache<number, true>({
    ...atMost(MAX_REMEMBERED_REQUESTS),
    ttl: DEMAND_MS,
  })

  /**
   * @param maxBytes of all cached pages together
   * @param bodyOf what is cached of an answer's bytes
   */
  constructor(app: FastifyInstance, feed: ChangeFeed, maxBytes: number, bodyOf: (payload: Buffer) => Kind) {
    this.app = app
    this.bodyOf = bodyOf
    const bytesOf = (page: SharedPage<Kind> | null) => (page === null ? 0 : sizeOf(page))
    this.cache = new ScopedCache(feed, { maxSize: maxBytes, sizeOf: bytesOf, maxAgeMs: MAX_AGE_MS })
  }

  /** @returns null: the request is to be answered for itself alone */
  async find(request: FastifyRequest, source: PageSource): Promise<SharedPage<Kind> | null> {
    const key = keyOf(source)
    if (!this.cache.has(key)) this.app.renderLimit.count(request)
    try {
      return await this.cache.find(key, () => this.render(key, source))
    } catch (error) {
      // While Fastify closes, it takes no injected requests.
      if (this.app.isClosing) return null
      throw error
    }
  }

  private async render(key: string, source: PageSource): Promise<Loaded<SharedPage<Kind> | null>> {
    const hash = crc32(key)
    const isRequestedAgain = this.requested.has(hash)
    this.requested.set(hash, true)
    const { answer, payload, rendering } = await renderShared(this.app, source)
    const page = sharedPage(answer, payload, rendering, this.bodyOf)
    const isCached = page !== null && isRequestedAgain && rendering.isCacheable && rendering.scopes.size > 0
    return { value: page, scopes: isCached ? [...rendering.scopes] : null }
  }
}

/** What a page is cached by. */
export function keyOf({ url, language, theme, encoding, type, reader }: PageSource): string {
  return `${reader === null ? '' : JSON.stringify(reader)}${language} ${theme} ${encoding} ${type}${url}`
}

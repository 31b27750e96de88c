import type { OutgoingHttpHeaders } from 'node:http'
import { crc32 } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Response } from 'light-my-request'
import { LRUCache } from 'lru-cache'
import { atMost } from '../../text/words/remembered.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { PLACEHOLDER } from '../own-parts.ts'
import { type Loaded, ScopedCache } from '../scoped-cache/scoped-cache.ts'
import type { Tally } from '../tally.ts'
import { type OnSent, type PageSource, type Rendering, renderShared } from './rendering.ts'

/** What is cached of a page: for visitors a character for each byte, sent as it is; for members a template. */
type Body = string | Template

export interface SharedPage<Kind extends Body = Body> {
  readonly body: Kind
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** The same, names and values in turn: as Node sends them fastest. */
  readonly rawHeaders: string[]
  readonly onSent: OnSent | null
  readonly personalFor: Rendering['personalFor']
  readonly tally: Tally | null
}

const SLOT_BYTES = 80
const ID_BYTES = 20

/** About the memory that a page takes, in bytes. */
function sizeOf({ body, headers, personalFor }: SharedPage): number {
  const bodyBytes =
    typeof body === 'string' ? body.length : body.bytes.length + SLOT_BYTES * body.slots.length
  return bodyBytes + JSON.stringify(headers).length + ID_BYTES * personalFor.size
}

/** Packs an answer for all who would get it; null: it has something of one browser's or one person's own. */
function sharedPage<Kind extends Body>(
  { statusCode: status, headers }: Response,
  payload: Buffer,
  { reader, onSent, personalFor, tally }: Rendering,
  bodyOf: (payload: Buffer) => Kind,
): SharedPage<Kind> | null {
  const hasToken = String(headers['cache-control']).includes('no-store')
  const isPersonal = reader === null ? status === 200 && hasToken : status !== 200
  if (isPersonal || headers['set-cookie'] !== undefined) return null
  const { connection: _connection, date: _date, 'transfer-encoding': _chunked, ...shared } = headers
  const rawHeaders = Object.entries(shared).flatMap(([name, value]) => [name, String(value)])
  return { body: bodyOf(payload), status, headers: shared, rawHeaders, onSent, personalFor, tally }
}

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

  /** @param maxBytes of all pages together @param bodyOf what is cached of an answer's bytes */
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

export function keyOf({ url, language, theme, encoding, type, reader }: PageSource): string {
  return `${reader === null ? '' : JSON.stringify(reader)}${language} ${theme} ${encoding} ${type}${url}`
}

/** A page without what each person has of their own, and where that belongs. */
export interface Template {
  readonly bytes: Buffer
  /** In their order; `at` in bytes. */
  readonly slots: readonly { readonly at: number; readonly name: string }[]
}

export function templateOf(html: Buffer): Template {
  const texts: Buffer[] = []
  const slots: { at: number; name: string }[] = []
  let at = 0
  for (const [index, part] of html.toString().split(PLACEHOLDER).entries()) {
    const bytes = Buffer.from(part)
    if (index % 2 === 0) {
      texts.push(bytes)
      at += bytes.length
    }
    // A copy: a string that is part of the page's text keeps all of it in memory.
    else slots.push({ at, name: bytes.toString() })
  }
  return { bytes: Buffer.concat(texts), slots }
}

/** The page as one person gets it. @param textOf the HTML that stands in a slot */
export function filledIn({ bytes, slots }: Template, textOf: (slot: string) => string): Buffer {
  const pieces: Buffer[] = []
  let from = 0
  for (const { at, name } of slots) {
    const value = textOf(name)
    // Most people have nothing of their own in most slots.
    if (value === '') continue
    pieces.push(bytes.subarray(from, at), Buffer.from(value))
    from = at
  }
  return Buffer.concat([...pieces, bytes.subarray(from)])
}

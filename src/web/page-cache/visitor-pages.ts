import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Language } from '../../database/schema.ts'
import { type AddressOf, addressOf } from '../address-of.ts'
import { readAppearance } from '../appearance.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { encodingOf } from '../encoding.ts'
import { isPlain } from '../https-only.ts'
import { acceptedLanguage } from '../language.ts'
import { RenderedPages } from './rendered-pages.ts'
import type { Answer, PageSource } from './rendering.ts'
import { type SentEncoding, sendVisitorPage, type VisitorPage, visitorPage } from './visitor-page.ts'

const MAX_BYTES = 36 * 2 ** 20
/** Cookies of somebody who may be signed in, or is shown a message. */
const PERSONAL_COOKIE = /(?:^|;\s*)(?:(?:__Host-)?session|flash)=/

/** Shared pages as visitors get them. */
export class VisitorPages extends RenderedPages<VisitorPage> {
  private readonly languages = new LRUCache<string, Language>({ max: 500 })
  private readonly encodings = new LRUCache<string, SentEncoding>({ max: 500 })
  private readonly addressOf: AddressOf

  constructor(app: FastifyInstance, feed: ChangeFeed) {
    super(app, feed, MAX_BYTES)
    this.addressOf = addressOf(app.config.trustProxy)
  }

  /**
   * Sends a cached page before the framework sees the request: an address is among the cached ones only if its page is shared.
   * @returns false: none is cached, or a header is spelled as in no request before
   */
  sendCached(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method = '', url = '' } = request
    if (this.app.isClosing || isPlain(headers) || (method !== 'GET' && method !== 'HEAD')) return false
    if (headers.cookie !== undefined && PERSONAL_COOKIE.test(headers.cookie)) return false
    const chosen = readAppearance(headers.cookie)
    const language = chosen.language ?? this.languages.get(headers['accept-language'] ?? '')
    const encoding = this.encodings.get(String(headers['accept-encoding'] ?? ''))
    if (language === undefined || encoding === undefined) return false
    const page = this.cache.get(keyOf({ url, language, theme: chosen.theme }, encoding))
    if (page === undefined || !('body' in page)) return false
    page.onSent?.({ method, headers, ip: this.addressOf(request), person: null })
    page.tally?.answeredBy(response)
    sendVisitorPage(page, request, response)
    return true
  }

  /** @param url shared-url.ts; @returns false: nothing was sent, and the page is to be rendered for this request alone */
  async answer(request: FastifyRequest, reply: FastifyReply, url: string): Promise<boolean> {
    const { theme, ...chosen } = readAppearance(request.headers.cookie)
    const accepted = known(this.languages, request.headers['accept-language'], () =>
      acceptedLanguage(request),
    )
    const source = { url, language: chosen.language ?? accepted, theme, reader: null }
    const encoding = known(
      this.encodings,
      request.headers['accept-encoding'],
      () => encodingOf(request) ?? 'identity',
    )
    const key = keyOf(source, encoding)
    if (!this.cache.has(key)) this.app.renderLimit.count(request)
    const page = await this.find(key, source, (answer, rendering) => visitorPage(answer, rendering, encoding))
    if (page === null) return false
    if (!('body' in page)) return sendAnswer(page, reply)
    page.onSent?.(request)
    reply.hijack()
    if (this.app.isClosing) reply.raw.setHeader('connection', 'close')
    sendVisitorPage(page, request, reply.raw)
    return true
  }
}

const keyOf = ({ url, language, theme }: Omit<PageSource, 'reader'>, encoding: SentEncoding) =>
  `${language} ${theme} ${encoding} ${url}`

/** Understands a header's value once, as there are few of them. */
function known<Value extends string>(
  cache: LRUCache<string, Value>,
  header: string | string[] | undefined,
  read: () => Value,
): Value {
  const text = String(header ?? '')
  const value = cache.get(text) ?? read()
  cache.set(text, value)
  return value
}

/** Redirects and errors are the same for all visitors; a page that is not has something of one browser's own. */
function sendAnswer({ statusCode, headers, payload }: Answer, reply: FastifyReply): boolean {
  if (statusCode === 200) return false
  const { 'content-length': _length, connection: _connection, ...others } = headers
  reply.code(statusCode).headers(others).send(payload)
  return true
}

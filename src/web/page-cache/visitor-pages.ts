import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { addressOf, isApiAddress } from '../addresses.ts'
import { apiTypeOf } from '../api-types.ts'
import { readAppearance } from '../appearance.ts'
import { encodingOf } from '../compression.ts'
import { isFresh } from '../entity-tag.ts'
import { isPlain } from '../headers.ts'
import { acceptedLanguage } from '../language.ts'
import type { PageSource } from './rendering.ts'
import { keyOf, type SharedPage, type SharedPages } from './shared-pages.ts'

const MAX_BROWSERS = 500
/** Cookies of somebody who may be signed in, or is shown a message. */
const PERSONAL_COOKIE = /(?:^|;\s*)(?:(?:__Host-)?session|flash)=/

type Accepted = Pick<PageSource, 'language' | 'encoding' | 'type'>

export interface ForVisitors {
  /**
   * Sends a cached page before the framework sees the request: an address is among the cached ones only if its page is shared.
   * @returns false: none is cached, or headers are spelled as in no request before
   */
  sendCached(request: IncomingMessage, response: ServerResponse): boolean
  /** @param url shared-url.ts; @returns false: nothing was sent, and the page is to be rendered for this request alone */
  answer(request: FastifyRequest, reply: FastifyReply, url: string): Promise<boolean>
}

/** Sends shared pages to visitors. */
export function forVisitors(app: FastifyInstance, pages: SharedPages<string>): ForVisitors {
  // By the headers that say it, which are spelled in few ways.
  const accepted = new LRUCache<string, Accepted>({ max: MAX_BROWSERS })
  const clientAddressOf = addressOf(app.config.trustProxy)
  return {
    sendCached(request, response) {
      const { headers, method = '', url = '' } = request
      if (app.isClosing || isPlain(headers) || (method !== 'GET' && method !== 'HEAD')) return false
      if (headers.cookie !== undefined && PERSONAL_COOKIE.test(headers.cookie)) return false
      if (headers.authorization !== undefined && isApiAddress(url)) return false
      const known = accepted.get(spellingOf(url, headers))
      const page = known && pages.cache.get(keyOf(sourceOf(url, headers, known)))
      if (!page) return false
      page.onSent?.({ method, headers, ip: clientAddressOf(request), person: null })
      page.tally?.answeredBy(response)
      send(page, request, response)
      return true
    },
    async answer(request, reply, url) {
      const { headers } = request
      const type = isApiAddress(url) ? apiTypeOf(request) : ''
      if (type === null) return false
      const read: Accepted = {
        language: acceptedLanguage(request),
        encoding: encodingOf(request) ?? 'identity',
        type,
      }
      accepted.set(spellingOf(url, headers), read)
      const page = await pages.find(request, sourceOf(url, headers, read))
      if (page === null) return false
      page.onSent?.(request)
      reply.hijack()
      if (app.isClosing) reply.raw.setHeader('connection', 'close')
      send(page, request, reply.raw)
      return true
    },
  }
}

const spellingOf = (url: string, headers: IncomingHttpHeaders) =>
  `${headers['accept-language']} ${headers['accept-encoding']}${isApiAddress(url) ? ` ${headers.accept}` : ''}`

function sourceOf(url: string, { cookie }: IncomingHttpHeaders, accepted: Accepted): PageSource {
  const { language, theme } = readAppearance(cookie)
  return { url, theme, ...accepted, language: language ?? accepted.language, reader: null }
}

/** Sends a page without the framework. Node puts head and body together and writes once, as the body is a string. */
function send(
  { status, headers, rawHeaders, body }: SharedPage<string>,
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  response: ServerResponse,
): void {
  const modified = headers['last-modified']
  const isKnown =
    typeof headers.etag === 'string' && isFresh(request.headers, headers.etag, modified && String(modified))
  if (isKnown) response.writeHead(304, Object.fromEntries(Object.entries(headers).filter(isFor304))).end()
  else response.writeHead(status, rawHeaders).end(request.method === 'HEAD' ? '' : body, 'latin1')
}

/** Leaves out what describes a body (RFC 9110, 15.4.5). */
function isFor304([name]: [string, unknown]): boolean {
  return !name.startsWith('content-') || name === 'content-security-policy'
}

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { notFound } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { escapeText } from '../../text/escape.ts'
import { hueOf, initialsOf } from '../../text/face.ts'
import { acceptedLanguage, languageOfRequest, readAppearance, themeAttribute } from '../appearance.ts'
import { personPath } from '../paths.ts'
import { courseOfBell } from '../shell.ts'
import { addressOf, isApiAddress } from '../transport/addresses.ts'
import { apiTypeOf } from '../transport/api-types.ts'
import { encodingOf } from '../transport/compression.ts'
import { brokenCondition, isFresh } from '../transport/entity-tag.ts'
import type { Front } from '../transport/front.ts'
import { isPlain } from '../transport/headers.ts'
import { currentRendering, type PageSource, type Rendering, readerLike } from './rendering.ts'
import { filledIn, keyOf, type SharedPage, SharedPages, type Template, templateOf } from './shared-pages.ts'
import { type SharedRoute, sharedUrl } from './shared-url.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The page looks the same to all visitors; its handler tells `request.rendering` what it depends on. */
    shared?: SharedRoute
  }
  interface FastifyRequest {
    /** The shared page that this request renders; null: it is answered for its sender alone. */
    readonly rendering: Rendering | null
  }
  interface FastifyInstance {
    /** null: pages are not cached. */
    readonly pageCache: {
      readonly visitors: SharedPages<string>
      readonly members: SharedPages<Template>
    } | null
  }
}

const MAX_VISITORS_BYTES = 36 * 2 ** 20
const MAX_MEMBERS_BYTES = 40 * 2 ** 20

/** First of all hooks that know a request: what a shared page is rendered from never reaches a page that is not shared. */
export function registerRendering(app: FastifyInstance): void {
  app.decorateRequest('rendering', { getter: currentRendering })
  app.addHook('onRequest', (request, _reply, done) => {
    const { rendering, routeOptions } = request
    if (rendering === null) return done()
    rendering.tally = routeOptions.config.tally ?? null
    done(routeOptions.config.shared === undefined ? notFound() : undefined)
  })
  // The author of a change sees it on the next page.
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') await app.changes?.caughtUp()
  })
}

/** Answers from the cache, once it is known who asks: README.md beside this file has the rules. */
export function registerPageCache(app: FastifyInstance, front: Front): void {
  const { changes: feed } = app
  if (feed === null || !app.config.pageCache) {
    app.decorate('pageCache', null)
    return
  }
  const visitors = new SharedPages(app, feed, MAX_VISITORS_BYTES, (payload) => payload.toString('latin1'))
  const members = new SharedPages(app, feed, MAX_MEMBERS_BYTES, templateOf)
  app.decorate('pageCache', { visitors, members })
  const toVisitors = forVisitors(app, visitors)
  front.answer = toVisitors.sendCached
  app.addHook('onRequest', async (request, reply) => {
    const { person } = request
    const url = feed.isLive && !app.isClosing ? sharedUrlOf(request) : null
    if (url === null) return
    const isAnswered =
      person === null
        ? await toVisitors.answer(request, reply, url)
        : await answerMember(members, request, reply, person, url)
    if (isAnswered) return reply
  })
}

/** @returns null: the page is to be rendered for this request alone */
function sharedUrlOf(request: FastifyRequest): string | null {
  const { shared, isApi = false } = request.routeOptions.config
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (shared === undefined || !isRead || request.rendering !== null) return null
  if (request.sessionFailure !== null || request.cookies.flash !== undefined) return null
  // The cache knows programs by the address: `/%61pi/v1` is rendered each time.
  if (isApi !== isApiAddress(request.url)) return null
  if (isApi && request.headers.authorization !== undefined) return null
  if (request.person !== null && shared.isForMembers !== true) return null
  return sharedUrl(request.url, shared)
}

const MAX_BROWSERS = 500
/** Cookies of somebody who may be signed in, or is shown a message. */
const PERSONAL_COOKIE = /(?:^|;\s*)(?:(?:__Host-)?session|flash)=/

type Accepted = Pick<PageSource, 'language' | 'encoding' | 'type'>

function forVisitors(app: FastifyInstance, pages: SharedPages<string>) {
  // By the headers that say it, which are spelled in few ways.
  const accepted = new LRUCache<string, Accepted>({ max: MAX_BROWSERS })
  const clientAddressOf = addressOf(app.config.trustProxy)
  return {
    /**
     * Sends a cached page before the framework sees the request: an address is among the cached ones only if
     * its page is shared.
     * @returns false: none is cached, or headers are spelled as in no request before
     */
    sendCached(request: IncomingMessage, response: ServerResponse): boolean {
      const { headers, method = '', url = '' } = request
      if (app.isClosing || isPlain(headers) || (method !== 'GET' && method !== 'HEAD')) return false
      if (headers.cookie !== undefined && PERSONAL_COOKIE.test(headers.cookie)) return false
      if (isApiAddress(url) && (headers.authorization !== undefined || isConditional(headers))) return false
      const known = accepted.get(spellingOf(url, headers))
      const page = known && pages.cache.get(keyOf(sourceOf(url, headers, known)))
      if (!page) return false
      page.onSent?.({ method, headers, ip: clientAddressOf(request), person: null })
      page.tally?.answeredBy(response)
      send(page, request, response)
      return true
    },
    /** @param url shared-url.ts; @returns false: nothing was sent, and the page is to be rendered for this request alone */
    async answer(request: FastifyRequest, reply: FastifyReply, url: string) {
      const { headers } = request
      const type = isApiAddress(url) ? apiTypeOf(request) : ''
      if (type === null || (isApiAddress(url) && isConditional(headers))) return false
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

/** Whether a program's request has conditions that a cached answer doesn't look at: they hold there, or can't be read (doors/api). */
const isConditional = (headers: IncomingHttpHeaders) =>
  headers['if-unmodified-since'] !== undefined || brokenCondition(headers) !== null

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

/** Sends a shared page with a member's own parts; false: nothing was sent, it is rendered for them alone */
async function answerMember(
  pages: SharedPages<Template>,
  request: FastifyRequest,
  reply: FastifyReply,
  person: Person,
  url: string,
): Promise<boolean> {
  const { server } = request
  const language = languageOfRequest(request)
  const reader = readerLike({ ...person, language }, await server.courses.publicity())
  const page = await pages.find(request, {
    url,
    language,
    theme: 'system',
    encoding: 'identity',
    type: '',
    reader,
  })
  if (page === null || page.personalFor.has(person.id)) return false
  page.onSent?.(request)
  const own = await server.ownParts(person.id)
  const t = translatorOf(language)
  // The slots of the layout: shell.ts.
  const values: Readonly<Record<string, string>> = {
    'viewer.name': escapeText(person.displayName),
    'viewer.path': escapeText(personPath(person)),
    'viewer.initials': escapeText(initialsOf(person.displayName)),
    'viewer.hue': String(hueOf(person.id)),
    'viewer.theme': themeAttribute(person.theme),
    'viewer.token': reply.csrfToken(),
  }
  const html = filledIn(page.body, (slot) => {
    const course = courseOfBell(slot)
    if (course !== undefined)
      return server.part('/notifications/_bell', { t, count: own.unseenCount, course })
    return values[slot] ?? escapeText(own.text(slot, t))
  })
  reply.headers(page.headers).removeHeader('content-length').send(html)
  return true
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Changes } from '../changes/changes.ts'
import type { Language } from '../database/schema.ts'
import { type AddressOf, addressOf } from '../web/address-of.ts'
import { encodingOf } from '../web/encoding.ts'
import type { Front } from '../web/front.ts'
import { isPlain } from '../web/https-only.ts'
import { languageOfRequest } from '../web/language.ts'
import { notFound } from '../web/problem.ts'
import type { Asked, SentAs } from './asked.ts'
import { isKeepable } from './keepable.ts'
import { KeptPageMaker } from './kept-page-maker.ts'
import { KeptPages } from './kept-pages.ts'
import { type Answer, shownHere } from './page-rendering.ts'
import { isForAll, type SharedPage, sendPage, sharedPage } from './shared-page.ts'
import type { Shown } from './shown.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page that looks the same to all visitors: it is kept, and its handler tells request.shown what is on it. */
    isShared?: boolean
  }
  interface FastifyRequest {
    /** Collects what the page shows while one is made to be kept; null: this one is for somebody. */
    readonly shown: Shown | null
  }
  interface FastifyInstance {
    /** null: pages are not kept. */
    readonly keptPages: KeptPages<SharedPage> | null
  }
}

/** Bytes of all pages that one process keeps. */
const ROOM = 36 * 2 ** 20
/** Cookies of somebody for whom the page is not that of all. */
const PERSONAL = /(?:^|;\s*)(?:(?:__Host-)?session|flash)=/

/** Keeps what visitors see: README.md beside this file has the rules. */
export function registerSharedPages(app: FastifyInstance, front: Front): void {
  const { changes } = app
  app.decorateRequest('shown', { getter: shownHere })
  const kept = changes !== null && app.config.pageCache ? new KeptPages<SharedPage>(ROOM) : null
  app.decorate('keptPages', kept)
  if (changes === null) return
  // Whoever wrote something sees it on the next page, whichever that is.
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') await changes.caughtUp()
  })
  if (kept === null) return
  const pages = new SharedPages(app, changes, kept)
  front.answer = (request, response) => pages.sendKept(request, response)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.shown !== null) request.shown.tally = request.routeOptions.config.tally ?? null
    // A page that is made for all never leads to one that is not.
    if (request.shown !== null && request.routeOptions.config.isShared !== true) return done(notFound())
    if (!pages.isAsked(request)) return done()
    pages.answer(request, reply).then((isAnswered) => {
      if (!isAnswered) done()
    }, done)
  })
}

class SharedPages {
  private readonly app: FastifyInstance
  private readonly changes: Changes
  private readonly kept: KeptPages<SharedPage>
  private readonly maker: KeptPageMaker<SharedPage>
  private readonly languages = new LRUCache<string, Language>({ max: 500 })
  private readonly encodings = new LRUCache<string, SentAs>({ max: 500 })
  private readonly addressOf: AddressOf

  constructor(app: FastifyInstance, changes: Changes, kept: KeptPages<SharedPage>) {
    this.app = app
    this.changes = changes
    this.kept = kept
    this.maker = new KeptPageMaker(app, changes, kept, async (rendered, asked, isPassing) =>
      isForAll(rendered.answer) ? sharedPage(rendered, asked, isPassing) : null,
    )
    this.addressOf = addressOf(app.config.trustProxy)
  }

  /**
   * Sends a page that is kept, before the framework sees the request: its address would not be among the kept ones unless
   * it were one that may be shared. @returns false: none is, or a header is spelled as none was before
   */
  sendKept(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method = '', url = '' } = request
    if (this.app.isClosing || isPlain(headers) || !this.isForVisitors(request)) return false
    const language = this.languages.get(headers['accept-language'] ?? '')
    const encoding = this.encodings.get(String(headers['accept-encoding'] ?? ''))
    if (language === undefined || encoding === undefined) return false
    const page = this.kept.get(keyOf(url, language, encoding))
    if (page === undefined) return false
    this.kept.hits += 1
    const { viewed } = page.shown
    if (viewed !== null)
      this.app.views.note({ method, headers, ip: this.addressOf(request), person: null }, viewed)
    page.shown.tally?.answeredBy(response)
    sendPage(page, request, response)
    return true
  }

  /** Whether nobody in particular asks, and what is kept can be relied on. */
  private isForVisitors({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
    return (
      (method === 'GET' || method === 'HEAD') &&
      this.changes.isLive &&
      !(headers.cookie !== undefined && PERSONAL.test(headers.cookie))
    )
  }

  /** Whether a request may get what all get. */
  isAsked(request: FastifyRequest): boolean {
    const { url } = request
    return (
      request.routeOptions.config.isShared === true &&
      this.isForVisitors(request) &&
      request.shown === null &&
      isKeepable(url)
    )
  }

  /** @returns false: the page turned out to be nobody else's, and is still to be made for the one who asks */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const asked = this.askedOf(request)
    const page = await this.maker.find(asked)
    if (page === null) return false
    if (!('shown' in page)) {
      if (page.statusCode === 200) return false
      await reply.code(page.statusCode).headers(withoutLength(page)).send(page.payload)
      return true
    }
    if (page.shown.viewed !== null) this.app.views.note(request, page.shown.viewed)
    reply.hijack()
    if (this.app.isClosing) reply.raw.setHeader('connection', 'close')
    sendPage(page, request, reply.raw)
    return true
  }

  private askedOf(request: FastifyRequest): Asked {
    const { url, headers } = request
    const language = known(this.languages, headers['accept-language'], () => languageOfRequest(request))
    const encoding = known(
      this.encodings,
      headers['accept-encoding'],
      () => encodingOf(request) ?? 'identity',
    )
    return { key: keyOf(url, language, encoding), url, language, encoding, reader: null }
  }
}

const keyOf = (url: string, language: Language, encoding: SentAs) => `${language} ${encoding} ${url}`

/** Headers come in few spellings: each is understood once. */
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

function withoutLength({ headers }: Answer) {
  const { 'content-length': _length, connection: _connection, ...others } = headers
  return others
}

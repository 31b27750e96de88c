import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Response } from 'light-my-request'
import { LRUCache } from 'lru-cache'
import type { Change } from '../changes/change.ts'
import type { Changes } from '../changes/changes.ts'
import type { Language } from '../database/schema.ts'
import { type AddressOf, addressOf } from '../web/address-of.ts'
import { encodingOf } from '../web/encoding.ts'
import type { Front } from '../web/front.ts'
import { languageOfRequest } from '../web/language.ts'
import { notFound } from '../web/problem.ts'
import { concerns } from './concerns.ts'
import { KeptPages, type SharedPage } from './kept-pages.ts'
import { isForAll, type SentAs, sendPage, sharedPage } from './shared-page.ts'
import { Shown } from './shown.ts'

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
    readonly keptPages: KeptPages | null
  }
}

/** Bytes of all pages that one process keeps. */
const ROOM = 64 * 2 ** 20
/** Longer addresses are nobody's links. */
const LONGEST_URL = 500
/** Cookies of somebody for whom the page is not that of all. */
const PERSONAL = /(?:^|;\s*)(?:(?:__Host-)?session|flash)=/
/** What a URL parser would make another address of: the request that makes the page goes through one. */
const CROOKED = /[\\#]|\.\.|%2e|\/\.|\/\//i
/** The parameters of lists and pages. With any other one, the page is made for the one who asks. */
const PARAMETERS = ['course', 'status', 'tag', 'lecture', 'sort', 'answers', 'show', 'after', 'before', 'q']
/** Addresses there are so many of that only those asked for twice are kept. */
const MANY = /[?&](?:after|before|q|tag)=/

/** The request that makes a shared page is no visitor's: nothing but an address and a language is in it. */
const making = new AsyncLocalStorage<Shown>()

/** What a kept page is found by. */
interface Asked {
  readonly key: string
  readonly url: string
  readonly language: Language
  readonly encoding: SentAs
}

/** A page under way, and the changes heard since it was begun. */
interface Making {
  readonly changes: Change[]
  readonly made: Promise<SharedPage | Response>
}

/** Keeps what visitors see: README.md beside this file has the rules. */
export function registerSharedPages(app: FastifyInstance, front: Front): void {
  const { changes } = app
  app.decorateRequest('shown', { getter: () => making.getStore() ?? null })
  const kept = changes !== null && app.config.pageCache ? new KeptPages(ROOM) : null
  app.decorate('keptPages', kept)
  if (changes === null) return
  // Whoever wrote something sees it on the next page, whichever that is.
  app.addHook('onSend', async ({ method }) => {
    if (method !== 'GET' && method !== 'HEAD') await changes.caughtUp()
  })
  if (kept === null) return
  const pages = new SharedPages(app, changes, kept)
  front.add((request, response) => pages.sendKept(request, response))
  app.addHook('onRequest', (request, reply, done) => {
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
  private readonly kept: KeptPages
  private readonly underWay = new Map<string, Making>()
  private readonly languages = new LRUCache<string, Language>({ max: 500 })
  private readonly encodings = new LRUCache<string, SentAs>({ max: 500 })
  private readonly addressOf: AddressOf
  private readonly askedOnce = new LRUCache<string, true>({ max: 20_000 })
  private isClosing = false

  constructor(app: FastifyInstance, changes: Changes, kept: KeptPages) {
    this.app = app
    this.changes = changes
    this.kept = kept
    this.addressOf = addressOf(app.config.trustProxy)
    const stop = changes.listen({
      changed: (change) => {
        kept.drop(change)
        for (const { changes: since } of this.underWay.values()) since.push(change)
      },
      lost: () => {
        kept.clear()
        this.underWay.clear()
      },
    })
    app.addHook('preClose', async () => {
      this.isClosing = true
    })
    app.addHook('onClose', async () => stop())
  }

  /**
   * Sends a page that is kept, before the framework sees the request: its address would not be among the kept ones unless
   * it were one that may be shared. @returns false: none is, or a header is spelled as none was before
   */
  sendKept(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers, method = '', url = '' } = request
    if (this.isClosing || !this.isForVisitors(request)) return false
    const language = this.languages.get(headers['accept-language'] ?? '')
    const encoding = this.encodings.get(String(headers['accept-encoding'] ?? ''))
    if (language === undefined || encoding === undefined) return false
    const page = this.kept.get(keyOf(url, language, encoding))
    if (page === undefined) return false
    const { viewed } = page.shown
    if (viewed !== null)
      this.app.views.note({ method, headers, ip: this.addressOf(request), person: null }, viewed)
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
      url.length <= LONGEST_URL &&
      !CROOKED.test(url) &&
      hasKnownParameters(url)
    )
  }

  /** @returns false: the page turned out to be nobody else's, and is still to be made for the one who asks */
  async answer(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const asked = this.askedOf(request)
    const page = this.kept.find(asked.key) ?? (await this.make(asked))
    if (!('shown' in page)) {
      if (page.statusCode === 200) return false
      await reply.code(page.statusCode).headers(withoutLength(page)).send(page.payload)
      return true
    }
    if (page.shown.viewed !== null) this.app.views.note(request, page.shown.viewed)
    reply.hijack()
    if (this.isClosing) reply.raw.setHeader('connection', 'close')
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
    return { key: keyOf(url, language, encoding), url, language, encoding }
  }

  /**
   * Several who ask for one page at once wait for the same one. Who came after a change of something on it, which the page
   * may not show yet, asks again.
   */
  private async make(asked: Asked): Promise<SharedPage | Response> {
    const { made, changes } = this.underWay.get(asked.key) ?? this.begin(asked)
    const before = changes.length
    const page = await made
    const missed = changes.slice(0, before)
    const isOld = 'shown' in page ? missed.some((change) => concerns(change, page.shown)) : before > 0
    return isOld ? (this.kept.get(asked.key) ?? this.make(asked)) : page
  }

  private begin(asked: Asked): Making {
    const changes: Change[] = []
    const made = this.render(asked).then((page) => {
      // Gone from there after the connection was lost: what has changed since is not known.
      const isWatched = this.underWay.get(asked.key) === making
      if (isWatched) this.keep(asked, page, changes)
      return page
    })
    const making = { changes, made }
    this.underWay.set(asked.key, making)
    const end = () => {
      if (this.underWay.get(asked.key) === making) this.underWay.delete(asked.key)
    }
    made.then(end, end)
    return making
  }

  private async render({ url, language, encoding }: Asked): Promise<SharedPage | Response> {
    const shown = new Shown()
    // Awaited inside: the request begins only when somebody waits for it.
    const response = await making.run(
      shown,
      async () => await this.app.inject({ method: 'GET', url, headers: { 'accept-language': language } }),
    )
    if (!isForAll(response)) return response
    this.kept.made += 1
    return sharedPage(response, shown, encoding)
  }

  /** What was read before a change must not be kept after it; nor one of many addresses before it is asked for again. */
  private keep({ key, url }: Asked, page: SharedPage | Response, changes: readonly Change[]): void {
    if (!('shown' in page) || changes.some((change) => concerns(change, page.shown))) return
    const isWanted = !MANY.test(url) || this.askedOnce.has(key)
    if (isWanted) this.kept.set(key, page)
    else this.askedOnce.set(key, true)
  }
}

const keyOf = (url: string, language: Language, encoding: SentAs) => `${language} ${encoding} ${url}`

function hasKnownParameters(url: string): boolean {
  const [, query] = url.split('?')
  if (query === undefined) return true
  const names = query.split('&').map((part) => part.split('=')[0] ?? '')
  return names.every((name) => PARAMETERS.includes(name)) && new Set(names).size === names.length
}

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

function withoutLength({ headers }: Response) {
  const { 'content-length': _length, connection: _connection, ...others } = headers
  return others
}

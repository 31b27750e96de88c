import assert from 'node:assert/strict'
import { Tokens } from '@fastify/csrf'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import type { Way } from '../accounts/identity/ways.ts'
import { beginSession } from '../accounts/sessions/sessions.ts'
import type { Database } from '../database/schema.ts'
import { CSRF_TOKENS } from '../web/csrf.ts'
import { SECRET } from './app.ts'

export type Fields = Readonly<Record<string, string | number | readonly string[]>>

export interface PostOptions {
  /** A token to send instead of a fresh one; null: none. Reusing one makes it the same submission. */
  readonly token?: string | null
  /** The page to take the token from. */
  readonly page?: string
  /** The Origin header; null: none. */
  readonly origin?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** Bytes to send instead of the fields. */
  readonly raw?: string | Buffer
  /** Of the raw bytes. */
  readonly contentType?: string
  /** The client's IP address; 127.0.0.1 by default. */
  readonly remoteAddress?: string
}

/** Makes the `_csrf` of forms as the apps of tests do. */
const tokens = new Tokens({ ...CSRF_TOKENS, hmacKey: SECRET, userInfo: true })

/** A headless client: keeps cookies and fills in `_csrf`. Does not follow redirects. */
export interface Browser {
  readonly cookies: Map<string, string>
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<LightMyRequestResponse>
  /**
   * Sends a form. An array sends its field once per value. The first one takes its `_csrf` from a page, which makes the cookie;
   * the others need no page: to render one for each form takes longer than most forms.
   */
  post(path: string, fields?: Fields, options?: PostOptions): Promise<LightMyRequestResponse>
  /** Follows a redirect. */
  follow(answer: LightMyRequestResponse): Promise<LightMyRequestResponse>
  /** The `_csrf` of a page's forms. */
  token(page?: string): Promise<string>
}

/** A visitor, who is not signed in. */
export function visitor(app: FastifyInstance): Browser {
  return browserOf(app, new Map())
}

/**
 * A person with an existing session.
 * @param ways in which they showed just now who they are; none: long ago
 * @param db where the app's own connection can't write
 */
export async function signedIn(
  app: FastifyInstance,
  person: number | { readonly id: number },
  ways: readonly Way[] = [],
  db: Database = app.db,
): Promise<Browser> {
  const token = await beginSession(db, typeof person === 'number' ? person : person.id, 'a test', ways)
  const name = app.config.baseUrl.startsWith('https:') ? '__Host-session' : 'session'
  return browserOf(app, new Map([[name, token]]))
}

/** Does something in browsers, in which signing out, or in, is forgotten afterwards. */
export async function stayingSignedIn<Result>(
  browsers: readonly Browser[],
  work: () => Promise<Result>,
): Promise<Result> {
  const before = browsers.map(({ cookies }) => [cookies, [...cookies]] as const)
  try {
    return await work()
  } finally {
    for (const [cookies, known] of before) {
      cookies.clear()
      for (const [name, value] of known) cookies.set(name, value)
    }
  }
}

function browserOf(app: FastifyInstance, cookies: Map<string, string>): Browser {
  const host = new URL(app.config.baseUrl).host

  async function send(request: InjectOptions): Promise<LightMyRequestResponse> {
    const answer = await app.inject({ ...request, cookies: Object.fromEntries(cookies) })
    for (const { name, value, maxAge, expires } of answer.cookies) {
      const hasEnded = maxAge === 0 || (expires !== undefined && expires.getTime() <= Date.now())
      if (hasEnded) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }

  const browser: Browser = {
    cookies,
    get: (path, headers = {}) =>
      send({ method: 'GET', url: path, headers: { host, accept: 'text/html', ...headers } }),
    async post(path, fields = {}, options = {}) {
      const token = options.token === undefined ? await tokenFor(options.page) : options.token
      const type = options.contentType ?? 'application/x-www-form-urlencoded'
      const headers = { host, accept: 'text/html', 'content-type': type, ...fromOrigin(options.origin) }
      const payload = options.raw ?? encodeForm(fields, token)
      const { remoteAddress } = options
      return send({
        method: 'POST',
        url: path,
        payload,
        headers: { ...headers, ...options.headers },
        ...(remoteAddress !== undefined && { remoteAddress }),
      })
    },
    follow(answer) {
      const { location } = answer.headers
      assert.ok(location !== undefined, `${answer.statusCode} leads nowhere:\n${answer.body}`)
      return browser.get(String(location).split('#')[0] ?? '/')
    },
    async token(page = defaultPage()) {
      const answer = await browser.get(page)
      const found = /name="_csrf" value="([^"]+)"/.exec(answer.body)?.[1]
      assert.ok(found !== undefined, `${page} has no form (${answer.statusCode})`)
      return found
    },
  }

  /** Every page of a signed-in person has the form to sign out; the one that says there is no such page is made fastest. */
  function defaultPage(): string {
    return cookies.has('session') || cookies.has('__Host-session') ? '/nowhere' : '/sign-in'
  }

  /** The token of a page, or as the next page would have it. */
  async function tokenFor(page: string | undefined): Promise<string> {
    const secret = cookies.get('csrf')
    if (page !== undefined || secret === undefined) return browser.token(page)
    return tokens.create(secret, cookies.get('session') ?? 'visitor')
  }

  function fromOrigin(origin: string | null = app.config.baseUrl): Record<string, string> {
    if (origin === null) return {}
    return { origin, 'sec-fetch-site': origin === app.config.baseUrl ? 'same-origin' : 'cross-site' }
  }

  return browser
}

function encodeForm(fields: Fields, token: string | null): string {
  const form = new URLSearchParams()
  if (token !== null) form.set('_csrf', token)
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'object' ? value : [value]) form.append(name, String(one))
  }
  return form.toString()
}

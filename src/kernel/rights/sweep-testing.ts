import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { type Browser, stayingSignedIn } from '../../testing/browser.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { type Request, requestsOf } from './requests-testing.ts'
import type { Addressed } from './secrets-testing.ts'

/** Somebody with a browser, and their copies of pages. */
export interface Reader {
  readonly name: string
  readonly browser: Browser
  /** Of a form of theirs. */
  readonly token: string
  /** A network of their own: each sends many forms. */
  readonly remoteAddress: string
  readonly copies: Map<string, { readonly etag: string; readonly text: string }>
}

/** What a browser shows after an answer, and where it goes on to. */
interface Shown {
  readonly text: string
  readonly location?: string
}

/** Streams without an end have tests of their own (live/live.test.ts), and readers shall stay who they are. */
const LEFT_OUT = /^\/live\/|\/live$|^\/sign-out$/

/** Every request that can be made of the forum about these things. */
export function everyRequest(app: FastifyInstance, addressed: Addressed): Request[] {
  return routesOf(app)
    .filter(({ path, method }) => method !== 'HEAD' && !LEFT_OUT.test(path))
    .flatMap((route) => requestsOf(route, addressed))
}

let readers = 0

export async function aReader(name: string, browser: Browser): Promise<Reader> {
  readers += 1
  const remoteAddress = `10.0.0.${readers}`
  return { name, browser, token: await browser.token(), remoteAddress, copies: new Map() }
}

/** The words that an answer tells, beside those that were asked with. A redirect is followed. */
export async function wordsIn(
  reader: Reader,
  { method, url, fields }: Request,
  sought: readonly string[],
): Promise<string[]> {
  const asked = JSON.stringify([url, fields])
  const words = sought.filter((word) => !asked.includes(word))
  const answer = await (method === 'GET' ? get(reader, url) : post(reader, url, fields))
  const isMoved = method === 'GET' && answer.location !== undefined
  const next = isMoved ? await get(reader, answer.location?.split('#')[0] ?? '/') : null
  return words.filter((word) => answer.text.includes(word) || next?.text.includes(word))
}

/** As a browser asks that has a copy: when told that it is as it was, it shows that. */
async function get({ browser, copies }: Reader, url: string): Promise<Shown> {
  const copy = copies.get(url)
  const answer = await browser.get(url, copy === undefined ? {} : { 'if-none-match': copy.etag })
  if (answer.statusCode === 304 && copy !== undefined) return copy
  const shown = shownIn(url, answer)
  const { etag } = answer.headers
  if (typeof etag === 'string' && answer.statusCode === 200) copies.set(url, { etag, text: shown.text })
  return shown
}

/** Whatever it does, the reader stays who they are. */
async function post(
  { browser, token, remoteAddress }: Reader,
  url: string,
  fields: Request['fields'],
): Promise<Shown> {
  const answer = await stayingSignedIn([browser], () => browser.post(url, fields, { token, remoteAddress }))
  return shownIn(url, answer)
}

function shownIn(url: string, { statusCode, headers, body }: LightMyRequestResponse): Shown {
  // 502: a sign-in provider can't be reached from a test. What the page says of that is searched as well.
  const isAway = statusCode === 502 && url.includes('/sign-in')
  assert.ok((statusCode < 500 || isAway) && statusCode !== 429, `${url}: ${statusCode}`)
  const text = `${JSON.stringify(headers)}\n${body}`
  return headers.location === undefined ? { text } : { text, location: String(headers.location) }
}

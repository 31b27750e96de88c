import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { refreshStatistics } from '../forum/search/statistics.ts'
import { testAppThatHears } from '../testing/app.ts'
import { type Browser, signedIn, visitor } from '../testing/browser.ts'
import { testDatabase } from '../testing/database.ts'
import { routesOf } from '../testing/routes.ts'
import { type Request, requestsOf } from './requests-testing.ts'
import { NEVER_TOLD, twoCourses, WORDS } from './secrets-testing.ts'

/** Somebody with a browser, and their copies of pages. */
interface Reader {
  readonly name: string
  readonly browser: Browser
  /** Of a form of theirs. */
  readonly token: string
  readonly copies: Map<string, { readonly etag: string; readonly text: string }>
}

/** What a browser shows after an answer, and where it goes on to. */
interface Shown {
  readonly text: string
  readonly location?: string
}

/** A stream without an end has a test of its own (live/live.test.ts), and readers shall stay who they are. */
const LEFT_OUT = ['/live/questions/:id', '/live/questions', '/sign-out']

test('of a course that was hidden, nobody else finds a word anywhere', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const { secret, outsider, former, addressed } = await twoCourses(db)
  await refreshStatistics(db)
  await changes.caughtUp()
  const stranger = await aReader('visitor', visitor(app))
  const other = await aReader('outsider', await signedIn(app, outsider))
  const readers = [stranger, other, await aReader('former member', await signedIn(app, former))]
  const routes = routesOf(app).filter(({ path, method }) => method !== 'HEAD' && !LEFT_OUT.includes(path))
  const requests = routes.flatMap((route) => requestsOf(route, addressed))
  const pages = requests.filter(({ method }) => method === 'GET')
  assert.ok(pages.length > 200, `${pages.length} addresses`)

  // While it is public everything is there to be found, and kept: twice, as some pages are kept only then.
  const seen = new Set<string>()
  for (const reader of [stranger, stranger, other])
    for (const page of pages) for (const word of await wordsIn(reader, page)) seen.add(word)
  const told = Object.values(WORDS).filter((word) => !NEVER_TOLD.includes(word))
  assert.deepEqual([...seen].sort(), told.sort(), 'the walk comes past every field')

  await db.deleteFrom('course_members').where('person_id', '=', former.id).execute()
  await db.updateTable('courses').set({ is_public: false }).where('id', '=', secret.id).execute()
  await changes.caughtUp()
  const leaks: string[] = []
  for (const reader of readers) {
    for (const request of requests) {
      const words = await wordsIn(reader, request)
      if (words.length > 0)
        leaks.push(`${reader.name}, ${request.method} ${request.url}: ${words.join(', ')}`)
    }
  }
  const mails = await db.selectFrom('mails').selectAll().execute()
  const posted = JSON.stringify(mails)
  leaks.push(...Object.values(WORDS).filter((word) => posted.includes(word)))
  assert.deepEqual(leaks, [])
})

async function aReader(name: string, browser: Browser): Promise<Reader> {
  return { name, browser, token: await browser.token(), copies: new Map() }
}

/** The words that an answer tells, beside those that were asked with. A redirect is followed. */
async function wordsIn(reader: Reader, { method, url, fields }: Request): Promise<string[]> {
  const asked = JSON.stringify([url, fields])
  const words = Object.values(WORDS).filter((word) => !asked.includes(word))
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
async function post({ browser, token }: Reader, url: string, fields: Request['fields']): Promise<Shown> {
  const cookies = [...browser.cookies]
  const answer = await browser.post(url, fields, { token })
  browser.cookies.clear()
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return shownIn(url, answer)
}

function shownIn(url: string, { statusCode, headers, body }: LightMyRequestResponse): Shown {
  assert.ok(statusCode < 500 && statusCode !== 429, `${url}: ${statusCode}`)
  const text = `${JSON.stringify(headers)}\n${body}`
  return headers.location === undefined ? { text } : { text, location: String(headers.location) }
}

import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { rowOf } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { until } from '../../testing/waiting.ts'
import type { ChangeFeed } from '../change-feed/change-feed.ts'
import { questionPath } from '../paths.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

test('a page is rendered once for all who wait for it, and cached when it is requested again', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  await changes.caughtUp()
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/questions')))
  const cache = app.pageCache?.visitors.cache
  assert.deepEqual([cache?.loaded, cache?.size], [1, 0])
  for (let count = 0; count < 3; count += 1) answers.push(await app.inject('/questions'))
  assert.deepEqual([cache?.loaded, cache?.size, cache?.hits], [2, 1, 2])
  assert.equal(new Set(answers.map((answer) => answer.body)).size, 1)
})

test('nothing of the reader reaches a shared page', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const zebulon = await signedIn(app, await aPerson(db, { displayName: 'Zebulon' }))
  await changes.caughtUp()
  const paths = ['/', '/questions', '/tags', '/courses', questionPath(question)]
  const cookie = 'csrf=my-secret-7; other=my-secret-7'
  const secrets = { 'x-api-key': 'my-secret-7', cookie, referer: 'https://my-secret-7/' }
  for (const path of paths) {
    const own = await zebulon.get(path)
    assert.match(String(own.headers['cache-control']), /no-store|no-cache/)
    const stranger = await app.inject({ url: path, headers: { ...secrets, ...FIREFOX } })
    const other = await visitor(app).get(path)
    for (const answer of [stranger, other]) {
      assert.doesNotMatch(answer.body, /my-secret-7|Zebulon|_csrf/)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
    assert.equal(stranger.body, other.body)
  }
  const cache = app.pageCache?.visitors.cache
  assert.equal(cache?.size, paths.length)
  for (const key of cache.keys()) {
    const page = cache.get(key)
    assert.ok(page)
    assert.doesNotMatch(`${page.body} ${JSON.stringify(page.headers)}`, /my-secret-7|Zebulon|_csrf/)
  }
})

test('who is signed in, or has a message waiting, gets a page of their own', async (t) => {
  const { app, db } = await aHearingForum(t)
  await aQuestion(db)
  await app.inject('/questions')
  const zebulon = await signedIn(app, await aPerson(db, { displayName: 'Zebulon' }))
  assert.match((await zebulon.get('/questions')).body, /Zebulon/)
  assert.equal((await zebulon.post('/sign-out')).statusCode, 303)
  assert.match((await zebulon.get('/questions')).body, /data-flash/)
  assert.doesNotMatch((await zebulon.get('/questions')).body, /data-flash/)
})

test('a page comes compressed as the browser wishes, in its language, with an ETag that it need not be sent again for', async (t) => {
  const { app, db } = await aHearingForum(t)
  await aQuestion(db)
  const ask = (headers: Record<string, string>) => app.inject({ url: '/questions', headers })
  const plain = await ask({})
  const brotli = await ask({ 'accept-encoding': 'gzip, deflate, br, zstd' })
  const gzip = await ask({ 'accept-encoding': 'gzip' })
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  const encodings = [plain, brotli, gzip].map(({ headers }) => headers['content-encoding'])
  assert.deepEqual(encodings, [undefined, 'br', 'gzip'])
  assert.match((await ask({ 'accept-language': 'ko' })).body, /<html lang="ko"/)
  const etag = String(brotli.headers.etag)
  assert.notEqual(etag, plain.headers.etag)
  const again = await ask({ 'accept-encoding': 'br', 'if-none-match': `"other", ${etag}` })
  assert.equal(again.statusCode, 304)
  assert.equal(again.rawPayload.length, 0)
  assert.equal(again.headers.etag, etag)
  const headers = ['content-security-policy', 'cache-control', 'x-content-type-options', 'vary']
  for (const name of headers) assert.equal(again.headers[name], brotli.headers[name], name)
  assert.match(String(brotli.headers.vary), /accept-encoding/)
  const head = await app.inject({ method: 'HEAD', url: '/questions' })
  assert.equal(head.headers['content-length'], String(Buffer.byteLength(plain.body)))
  assert.equal(head.body, '')
})

test('a shared page has the headers of one that is rendered for one visitor', async (t) => {
  const { app, db } = await aHearingForum(t)
  const alone = await testApp(t, db)
  await aQuestion(db)
  const ofItself = new Set(['date', 'etag', 'content-length', 'vary', 'connection'])
  const said = ({ headers }: { headers: object }) =>
    Object.entries(headers)
      .filter(([name]) => !ofItself.has(name))
      .sort()
  assert.deepEqual(said(await app.inject('/questions')), said(await alone.inject('/questions')))
})

test('each visitor of a cached page counts as a view, and views drop no page', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const path = questionPath(question)
  // What is told of the question itself drops its page.
  await changes.caughtUp()
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) {
    assert.equal((await app.inject({ url: path, headers: FIREFOX, remoteAddress: address })).statusCode, 200)
  }
  await app.views.flush()
  await changes.caughtUp()
  assert.equal((await rowOf(db, 'questions', question.id)).views_count, 3)
  assert.equal(app.pageCache?.visitors.cache.size, 1)
})

test('a page on which something changes while it is rendered is not cached, nor sent to later requests', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db, { title: 'The title as it was first' })
  const path = questionPath({ id: question.id, title: 'The title as it was first' })
  await app.inject(path)
  const later: Promise<{ statusCode: number }>[] = []
  app.related.of = async () => {
    if (later.length > 0) return []
    await sql`update questions set title = 'The title as it is now' where id = ${question.id}`.execute(db)
    await changes.caughtUp()
    later.push(app.inject(path))
    return []
  }
  assert.match((await app.inject(path)).body, /as it was first/)
  assert.equal(app.pageCache?.visitors.cache.size, 0)
  assert.equal((await later[0])?.statusCode, 301)
})

test('without its connection nothing cached is sent, and pages are cached again once it is back', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  await changes.caughtUp()
  const cache = app.pageCache?.visitors.cache
  for (let count = 0; count < 2; count += 1) await app.inject('/questions')
  assert.equal(cache?.size, 1)
  await connectionLost(db, changes)
  assert.equal(cache?.size, 0)
  for (let count = 0; count < 2; count += 1) assert.equal((await app.inject('/questions')).statusCode, 200)
  assert.deepEqual([cache?.size, cache?.hits], [0, 0])
  await until('the change feed is live again', () => changes.isLive)
  await app.inject('/questions')
  assert.equal(cache?.size, 1)
})

test('a page is not cached whose rendering began while the change feed was lost', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const path = questionPath(question)
  await changes.caughtUp()
  await app.inject(path)
  const related = app.related.of.bind(app.related)
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  app.related.of = async (...given) => {
    begun.resolve()
    await released.promise
    return related(...given)
  }
  const first = app.inject(path)
  await begun.promise
  await sql`update questions set votes_count = 1 where id = ${question.id}`.execute(db)
  await changes.caughtUp()
  // It waits for the same rendering, and then for another one, as the first may be older than the change.
  const second = app.inject(path)
  await connectionLost(db, changes)
  released.resolve()
  for (const page of [first, second]) assert.equal((await page).statusCode, 200)
  assert.equal(app.pageCache?.visitors.cache.loaded, 3)
  assert.deepEqual(app.pageCache?.visitors.cache.keys(), [])
})

test('what is not there, or has moved, is answered and not cached', async (t) => {
  const { app, db } = await aHearingForum(t)
  const question = await aQuestion(db)
  const missing = await app.inject('/questions/999999/nothing')
  assert.equal(missing.statusCode, 404)
  assert.match(missing.body, /<h1/)
  assert.equal((await app.inject(`/questions/${question.id}`)).statusCode, 301)
  assert.equal((await app.inject('/questions?mine=1')).statusCode, 303)
  assert.equal(app.pageCache?.visitors.cache.size, 0)
})

test('an address that leads elsewhere once it is parsed is nobody’s but the one’s who asks', async (t) => {
  const { app, db } = await aHearingForum(t)
  const question = await aQuestion(db)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const crooked = [
    `/questions/1/..\\..\\live\\questions\\${question.id}`,
    '/tags/..',
    '/tags/%2e%2e/settings',
    '/questions/1/../../search?q=x',
    '//tags',
    '/tags/./http',
  ]
  for (const path of crooked) {
    const status = await new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path }, (answer) => {
        resolve(answer.resume().statusCode)
      }).once('error', reject)
    })
    assert.ok([200, 301, 303, 404].includes(Number(status)), `${path}: ${status}`)
  }
  assert.deepEqual(app.pageCache?.visitors.cache.keys(), [])
})

test('unknown, repeated and empty parameters are ignored, and in any order the others name the same page', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db, { tags: ['http'] })
  await changes.caughtUp()
  const path = questionPath(question)
  const list = ['', '?utm_source=letter', '?sort=votes&sort=views', '?tag=&zz=1']
  const same = [
    list.map((query) => `/questions${query}`),
    ['/questions?tag=http&sort=votes', '/questions?sort=votes&fbclid=2&tag=http'],
    [path, `${path}?utm_campaign=spring&zz`],
  ]
  const cache = app.pageCache?.visitors.cache
  for (const urls of same) {
    const before = cache?.loaded ?? 0
    const bodies = []
    for (const url of [...urls, ...urls]) bodies.push((await app.inject(url)).body)
    assert.equal(new Set(bodies).size, 1, urls[0])
    assert.equal(cache?.loaded, before + 2, 'once, and once to be cached')
  }
  assert.deepEqual(cachedIn(app), ['/questions', '/questions?tag=http&sort=votes', path].toSorted())
})

test('a session that has ended is a visitor’s: it gets the cached page', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  await aQuestion(db)
  await changes.caughtUp()
  const former = await signedIn(app, await aPerson(db))
  const headers = { cookie: `session=${former.cookies.get('session')}` }
  await db.deleteFrom('sessions').execute()
  await changes.caughtUp()
  for (let count = 0; count < 2; count += 1) await app.inject('/questions')
  const visitors = (await app.inject('/questions')).body
  const cache = app.pageCache?.visitors.cache
  // Jobs look for work at times of their own.
  await app.jobs.stop()
  const statements = recordStatements(t)
  for (const cookie of [headers.cookie, 'session=x', 'session=x; session=y'])
    assert.equal((await app.inject({ url: '/questions', headers: { cookie } })).body, visitors)
  assert.equal(cache?.loaded, 2)
  assert.equal(statements.length, 1, 'only a token that may be one is looked up')
})

test('a change drops the pages that depend on its scopes, and no others', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const [rest, git] = [await aCourse(db, { slug: 'rest' }), await aCourse(db, { slug: 'git' })]
  const [asked, other, foreign] = [
    await aQuestion(db, { course: rest, title: 'Which verb creates?' }),
    await aQuestion(db, { course: rest, title: 'What is a header?' }),
    await aQuestion(db, { course: git, title: 'How do I undo?' }),
  ]
  await changes.caughtUp()
  const [askedPath, ...others] = [asked, other, foreign].map(questionPath)
  const urls = ['/questions', '/courses/rest', '/courses/git', '/tags', askedPath ?? '', ...others]
  for (const url of [...urls, ...urls]) assert.equal((await app.inject(url)).statusCode, 200, url)
  const cached = () => cachedIn(app)
  assert.deepEqual(cached(), urls.toSorted())
  const { id } = await aPerson(db)
  await db.insertInto('question_follows').values({ question_id: asked.id, person_id: id }).execute()
  await changes.caughtUp()
  assert.deepEqual(cached(), urls.filter((url) => url !== askedPath).toSorted(), 'followers are on one page')
  await anAnswer(db, { question: asked })
  await changes.caughtUp()
  assert.deepEqual(cached(), ['/courses/git', ...others].toSorted(), 'lists count what has no answer yet')
  const unanswered = '/courses/rest?status=unanswered'
  for (const url of [...urls, unanswered, ...urls, unanswered]) await app.inject(url)
  await anAnswer(db, { question: asked })
  await changes.caughtUp()
  const left = ['/courses/git', unanswered, ...others]
  assert.deepEqual(cached(), left.toSorted(), 'another answer is in lists that have its question')
})

test('over a connection a cached page is the same as the first time it was requested', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  await changes.caughtUp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const ask = async (method: string, headers: Record<string, string> = {}) => {
    const url = `http://127.0.0.1:${port}${questionPath(question)}`
    const answer = await fetch(url, { method, headers: { ...FIREFOX, 'accept-encoding': 'br', ...headers } })
    const own = new Headers(answer.headers)
    for (const name of ['date', 'connection', 'keep-alive']) own.delete(name)
    return { status: answer.status, headers: Object.fromEntries(own), body: await answer.text() }
  }
  const first = await ask('GET')
  assert.equal(first.status, 200)
  for (let count = 0; count < 2; count += 1) assert.deepEqual(await ask('GET'), first)
  assert.deepEqual(await ask('HEAD'), { ...first, body: '' })
  const known = await ask('GET', { 'if-none-match': String(first.headers.etag) })
  assert.deepEqual([known.status, known.body], [304, ''])
  assert.equal((await ask('POST')).status, 403)
  assert.equal(app.pageCache?.visitors.cache.loaded, 2)
  await app.views.flush()
  assert.equal((await rowOf(db, 'questions', question.id)).views_count, 1)
})

/** Paths of the pages that are cached, in English and not compressed. */
const cachedIn = ({ pageCache }: FastifyInstance) =>
  pageCache?.visitors.cache
    .keys()
    .map((key) => key.replace('en system identity ', ''))
    .toSorted()

/** Ends the connection that changes are heard on. */
async function connectionLost(db: Database, changes: ChangeFeed): Promise<void> {
  const lost = new Promise<void>((resolve) => changes.listen({ changed() {}, lost: resolve }))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'handup changes'
    and datname = current_database()`.execute(db)
  await lost
}

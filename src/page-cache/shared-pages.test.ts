import assert from 'node:assert/strict'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { Changes } from '../changes/changes.ts'
import type { Database } from '../database/schema.ts'
import { testApp, testAppThatHears } from '../testing/app.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { questionPath } from '../web/paths.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

test('a page is made once, and sent to all who ask for it', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  await aQuestion(db)
  await changes.caughtUp()
  const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject('/questions')))
  await app.inject('/questions')
  assert.equal(app.keptPages?.made, 1)
  assert.deepEqual([...new Set(answers.map((answer) => answer.body))].length, 1)
})

test('nothing of whoever asks reaches a shared page', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const person = await aPerson(db, { displayName: 'Zebulon' })
  const zebulon = await signedIn(app, person)
  const paths = ['/', '/questions', '/tags', '/courses', `/questions/${question.id}/question`]
  const secrets = {
    'x-api-key': 'my-secret-7',
    cookie: 'csrf=my-secret-7; other=my-secret-7',
    referer: 'https://my-secret-7/',
  }
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
  for (const key of app.keptPages?.keys() ?? []) {
    assert.doesNotMatch(app.keptPages?.get(key)?.body.toString() ?? '', /my-secret-7|Zebulon|_csrf/)
  }
})

test('who is signed in, or has a message waiting, gets a page of their own', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  await aQuestion(db)
  await app.inject('/questions')
  const person = await aPerson(db, { displayName: 'Zebulon' })
  const zebulon = await signedIn(app, person)
  assert.match((await zebulon.get('/questions')).body, /Zebulon/)
  const out = await zebulon.post('/sign-out')
  assert.equal(out.statusCode, 303)
  const after = await zebulon.get('/questions')
  assert.match(after.body, /class="flash/)
  assert.doesNotMatch((await zebulon.get('/questions')).body, /class="flash/)
})

test('a page comes compressed as the browser wishes, in its language, with an ETag that it need not be sent again for', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  await aQuestion(db)
  const ask = (headers: Record<string, string>) => app.inject({ url: '/questions', headers })
  const plain = await ask({})
  const brotli = await ask({ 'accept-encoding': 'gzip, deflate, br, zstd' })
  const gzip = await ask({ 'accept-encoding': 'gzip' })
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), plain.body)
  assert.equal(gunzipSync(gzip.rawPayload).toString(), plain.body)
  assert.deepEqual(
    [plain, brotli, gzip].map((answer) => answer.headers['content-encoding']),
    [undefined, 'br', 'gzip'],
  )
  assert.match((await ask({ 'accept-language': 'ko' })).body, /<html lang="ko"/)
  const etag = String(brotli.headers.etag)
  assert.notEqual(etag, plain.headers.etag)
  const again = await ask({ 'accept-encoding': 'br', 'if-none-match': `"other", W/${etag}` })
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

test('a shared page has the headers of one made for somebody', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const alone = await testApp(t, db)
  await aQuestion(db)
  const ofItself = new Set(['date', 'etag', 'content-length', 'vary', 'connection'])
  const said = ({ headers }: { headers: object }) =>
    Object.entries(headers)
      .filter(([name]) => !ofItself.has(name))
      .sort()
  assert.deepEqual(said(await app.inject('/questions')), said(await alone.inject('/questions')))
})

test('each visitor of a kept page counts as a view', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const path = String((await app.inject(`/questions/${question.id}`)).headers.location)
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) {
    assert.equal((await app.inject({ url: path, headers: FIREFOX, remoteAddress: address })).statusCode, 200)
  }
  await app.views.flush()
  await changes.caughtUp()
  assert.match((await app.inject(path)).body, /3 views/)
})

test('a page that something changed on while it was made is not kept', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db, { title: 'The title as it was first' })
  const path = String((await app.inject(`/questions/${question.id}`)).headers.location)
  let isFirst = true
  app.related.of = async () => {
    if (isFirst) {
      isFirst = false
      await sql`update questions set title = 'The title as it is now' where id = ${question.id}`.execute(db)
      await changes.caughtUp()
    }
    return { questions: [], freshFor: 0 }
  }
  assert.match((await app.inject(path)).body, /as it was first/)
  assert.equal(app.keptPages?.size, 0)
  assert.equal((await app.inject(path)).statusCode, 301)
})

test('without its connection nothing kept is sent, and pages are kept again once it is back', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  await aQuestion(db)
  await changes.caughtUp()
  await app.inject('/questions')
  assert.equal(app.keptPages?.size, 1)
  await connectionLost(db, changes)
  assert.equal(app.keptPages?.size, 0)
  assert.equal((await app.inject('/questions')).statusCode, 200)
  assert.equal(app.keptPages?.size, 0)
  while (!changes.isLive) await new Promise((resolve) => setTimeout(resolve, 20))
  await app.inject('/questions')
  assert.equal(app.keptPages?.size, 1)
})

test('a page begun while nobody listens is not kept: what changes meanwhile is never heard', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const path = questionPath(question)
  await changes.caughtUp()
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
  // It waits for the same page, and makes another one, as this one may be older than the change.
  const second = app.inject(path)
  await connectionLost(db, changes)
  released.resolve()
  for (const page of [first, second]) assert.equal((await page).statusCode, 200)
  assert.equal(app.keptPages?.made, 2)
  assert.deepEqual(app.keptPages?.keys(), [])
})

test('what is not there, or has moved, is answered as ever and not kept', async (t) => {
  const { app } = await testAppThatHears(t, await testDatabase(t))
  const question = await aQuestion(app.db)
  const missing = await app.inject('/questions/999999/nothing')
  assert.equal(missing.statusCode, 404)
  assert.match(missing.body, /<h1/)
  assert.equal((await app.inject(`/questions/${question.id}`)).statusCode, 301)
  assert.equal((await app.inject('/questions?mine=1')).statusCode, 303)
  assert.equal(app.keptPages?.size, 0)
})

test('an address that leads elsewhere once it is parsed is nobody’s but the one’s who asks', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
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
  assert.deepEqual(app.keptPages?.keys(), [])
})

test('strange parameters are not kept, and of the many cursors only those asked for again', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  await aQuestion(db)
  await changes.caughtUp()
  for (const url of [
    '/questions?x=1',
    '/questions?sort=votes&sort=views',
    '/questions?kept=a',
    '/tags?after=zz.1',
  ]) {
    assert.equal((await app.inject(url)).statusCode, 200, url)
  }
  assert.deepEqual(app.keptPages?.keys(), [])
  await app.inject('/tags?after=zz.1')
  assert.deepEqual(app.keptPages?.keys(), ['en identity /tags?after=zz.1'])
})

test('an answer to an old question leaves the lists it is not on as they are', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const course = await aCourse(db, { slug: 'rest' })
  const old = await aQuestion(db, { course, title: 'An old question of somebody' })
  await sql`update questions set written_at = now() - interval '9 days', active_at = now() - interval '9 days'`.execute(
    db,
  )
  for (let count = 0; count < 100; count += 1)
    await anAnswer(db, { question: await aQuestion(db, { course }) })
  await changes.caughtUp()
  await app.inject('/courses/rest')
  const made = app.keptPages?.made
  await anAnswer(db, { question: old })
  await changes.caughtUp()
  await app.inject('/courses/rest')
  assert.equal(app.keptPages?.made, (made ?? 0) + 1, 'its first answer changes how many wait for one')
  await anAnswer(db, { question: old })
  await changes.caughtUp()
  await app.inject('/courses/rest')
  assert.equal(app.keptPages?.made, (made ?? 0) + 1)
})

test('over a connection a kept page is the same as the first time it was asked for', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  await changes.caughtUp()
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const ask = async (method: string, headers: Record<string, string> = {}) => {
    const url = `http://127.0.0.1:${port}/questions/${question.id}/question`
    const answer = await fetch(url, { method, headers: { ...FIREFOX, 'accept-encoding': 'br', ...headers } })
    const {
      date: _date,
      connection: _connection,
      'keep-alive': _alive,
      ...own
    } = Object.fromEntries(answer.headers)
    return { status: answer.status, headers: own, body: await answer.text() }
  }
  const first = await ask('GET')
  assert.equal(first.status, 200)
  assert.deepEqual(await ask('GET'), first)
  assert.deepEqual(await ask('HEAD'), { ...first, body: '' })
  const known = await ask('GET', { 'if-none-match': String(first.headers.etag) })
  assert.deepEqual([known.status, known.body], [304, ''])
  assert.equal((await ask('POST')).status, 403)
  assert.equal(app.keptPages?.made, 1)
  await app.views.flush()
  const { views_count: views } = await db
    .selectFrom('questions')
    .select('views_count')
    .executeTakeFirstOrThrow()
  assert.equal(views, 1)
})

/** Ends the connection that changes are heard on. */
async function connectionLost(db: Database, changes: Changes): Promise<void> {
  const lost = new Promise<void>((resolve) => changes.listen({ changed() {}, lost: resolve }))
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'handup changes'
    and datname = current_database()`.execute(db)
  await lost
}

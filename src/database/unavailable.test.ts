import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { testApp } from '../testing/app.ts'
import type { Ending } from '../testing/at-end.ts'
import { atEnd } from '../testing/at-end.ts'
import { signedIn, visitor } from '../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { textOf, valueIn } from '../testing/page.ts'
import { aProxy } from '../testing/proxy.ts'
import { rowOf } from '../testing/rows.ts'
import { until } from '../testing/waiting.ts'
import { assertErrorPage } from '../web/testing.ts'
import { connect, useOf } from './connection.ts'
import type { Database } from './schema.ts'

/** A forum that connects to its database through a proxy, and a direct connection to the database. */
async function aForumOnAWire(t: Ending) {
  const { db, url } = await testDatabaseWithUrl(t)
  const proxy = await aProxy(t, url)
  const wired = connect(proxy.url)
  atEnd(t, () => wired.destroy())
  const app = await testApp(t, wired)
  const question = await aQuestion(db)
  const browser = await signedIn(app, await aPerson(db))
  const path = `/questions/${question.id}/answers`
  const token = await browser.token('/courses')
  const post = (body: string) => browser.post(path, { body }, { token })
  return { app, db, wired, proxy, browser, post }
}

/** Asserts a complete error page with status 503 and Retry-After. */
async function assertUnavailable(asked: Promise<LightMyRequestResponse>): Promise<LightMyRequestResponse> {
  const answer = await asked
  assertErrorPage(answer, 503)
  assert.equal(answer.headers['retry-after'], '5')
  return answer
}

/** Number of other connections to this database, in these states or any. */
async function othersIn(db: Database, states: readonly string[] | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (${states}::text[] is null or state = any(${states}))`.execute(db)
  return rows[0]?.count ?? 0
}

suite('with the database away', { concurrency: 3 }, () => {
  for (const way of ['close', 'freeze'] as const) {
    test(`pages say so (${way}), health answers, and all is well when it is back`, async (t) => {
      const { app, proxy, browser, post } = await aForumOnAWire(t)
      await proxy[way]()

      const [page, own, posted, health, ready, missing, icons] = await Promise.all([
        assertUnavailable(visitor(app).get('/')),
        assertUnavailable(browser.get('/')),
        assertUnavailable(post('typed\nfor an hour')),
        visitor(app).get('/healthz'),
        visitor(app).get('/readyz'),
        visitor(app).get('/no-such-page'),
        browser.get('/assets/icons.svg'),
        ...Array.from({ length: 15 }, () => assertUnavailable(visitor(app).get('/questions'))),
      ])
      assert.match(textOf(page.body), /Temporarily unavailable/)
      assert.match(page.body + own.body, /<html lang="en"/)
      assert.equal(valueIn(posted.body, 'body'), 'typed\nfor an hour')
      assert.equal(health.statusCode, 200)
      assert.deepEqual([ready.statusCode, ready.headers['retry-after']], [503, '5'])
      assert.deepEqual([missing.statusCode, icons.statusCode], [404, 200])

      await proxy.open()
      const first = await visitor(app).get('/')
      const again = first.statusCode === 200 ? first : await visitor(app).get('/')
      assert.equal(again.statusCode, 200)
      assert.equal((await visitor(app).get('/readyz')).statusCode, 200)
      assert.equal((await post('typed\nfor an hour')).statusCode, 303)
    })
  }

  test('connections that an administrator cuts, idle or in use, end neither the process nor the service', async (t) => {
    const { db, wired, browser, post } = await aForumOnAWire(t)
    const cut = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db)
    const slow = sql`select pg_sleep(600)`.execute(wired)
    const betweenStatements = wired.transaction().execute(async (write) => {
      await sql`select 1`.execute(write)
      await until(
        'both are in use',
        async () => (await othersIn(db, ['active', 'idle in transaction'])) === 2,
      )
      await cut()
      await until('they are cut', async () => (await othersIn(db)) === 0)
      await sql`select 1`.execute(write)
    })
    await Promise.all([assert.rejects(slow), assert.rejects(betweenStatements)])
    await until('the pool knows that they are cut', () => useOf(wired).open === 0)
    assert.equal((await post('after the cut')).statusCode, 303)
    for (let round = 0; round < 3; round += 1) {
      await cut()
      await until(
        'they are cut and the pool knows',
        async () => (await othersIn(db)) + useOf(wired).open === 0,
      )
      assert.equal((await browser.get('/')).statusCode, 200)
    }
  })

  test('a forum that never reached its database starts serving when it comes', async (t) => {
    const { url } = await testDatabaseWithUrl(t)
    const proxy = await aProxy(t, url)
    await proxy.close()
    const wired = connect(proxy.url)
    atEnd(t, () => wired.destroy())
    const app = await testApp(t, wired)
    await assertUnavailable(visitor(app).get('/'))
    await proxy.open()
    assert.equal((await visitor(app).get('/')).statusCode, 200)
  })

  test('sent again from the error’s page, a form that was posted after all is not posted twice', async (t) => {
    const { app, db, proxy } = await aForumOnAWire(t)
    const [course, person] = [await aCourse(db), await aPerson(db)]
    const browser = await signedIn(app, person)
    const fields = {
      course: course.slug,
      title: 'Was it posted?',
      body: 'one\r\n\r\ntwo',
      tags: '',
      lecture: '',
    }
    const token = await browser.token('/courses')
    const posted = await browser.post('/questions', fields, { token })
    await proxy.close()
    const { body } = await assertUnavailable(browser.post('/questions', fields, { token }))
    await proxy.open()
    await visitor(app).get('/')
    const form = /<form class="stack-s" method="post"[\s\S]*?<\/form>/.exec(body)?.[0] ?? ''
    const names = [...form.matchAll(/ name="([^"]+)"/g)].map((match) => match[1] ?? '')
    const again = Object.fromEntries(
      names.map((name) => [name, (valueIn(form, name) ?? '').replaceAll(/\r?\n/g, '\r\n')]),
    )
    const resent = await browser.post('/questions', again, { token: null })
    assert.equal(resent.headers.location, posted.headers.location)
  })

  test('views that could not be written are written later', async (t) => {
    const { app, db, proxy } = await aForumOnAWire(t)
    const { id } = await aQuestion(db)
    const page = await visitor(app).get(`/questions/${id}`)
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    await visitor(app).get(String(page.headers.location), firefox)
    await proxy.close()
    await assert.rejects(app.views.flush())
    await proxy.open()
    await app.views.flush().catch(() => app.views.flush())
    const row = await rowOf(db, 'questions', id)
    assert.equal(row.views_count, 1)
  })
})

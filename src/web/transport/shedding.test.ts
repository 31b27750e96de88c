import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect, useOf } from '../../database/connection.ts'
import { testApp } from '../../testing/app.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { valueIn } from '../../testing/page.ts'
import { valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { assertErrorPage } from '../testing.ts'

test('a process that is late with everything refuses pages, not health, assets or cached pages, and recovers', async (t) => {
  const { app, db, changes } = await aHearingForum(t)
  const question = await aQuestion(db)
  const browser = await signedIn(app, await aPerson(db))
  const token = await browser.token('/courses')
  // What is told of the question would drop the page.
  await changes.caughtUp()
  for (let count = 0; count < 2; count += 1)
    assert.equal((await visitor(app).get('/tags')).statusCode, 200, 'cached from the second time on')

  for (let round = 0; round < 40 && !app.isUnderPressure(); round += 1) {
    // A query that the change feed still waits for would time out, and the feed count as lost.
    await changes.caughtUp()
    block(4000)
    // The change feed's timer is due, and asks its query before this one ends.
    // biome-ignore lint/plugin: a turn of the loop that was blocked
    await sleep(1)
  }
  assert.ok(app.isUnderPressure())
  const page = await browser.get('/questions')
  const answer = { body: 'typed\nfor an hour' }
  const posted = await browser.post(`/questions/${question.id}/answers`, answer, { token })
  const paths = ['/healthz', '/readyz', '/assets/icons.svg', '/tags']
  const others = await Promise.all(paths.map((path) => visitor(app).get(path)))
  for (const refused of [page, posted]) {
    assertErrorPage(refused, 503)
    assert.equal(refused.headers['retry-after'], '5')
  }
  assert.equal(valueIn(posted.body, 'body'), answer.body)
  assert.deepEqual(valuesOf(others, 'statusCode'), [200, 200, 200, 200])
  await until('it has recovered', () => !app.isUnderPressure())
  assert.equal((await browser.get('/questions')).statusCode, 200)
})

test('with all connections busy a limited number of queries wait, for a limited time; further requests are refused at once', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const crowded = connect(url, { connections: 2, connectionTimeout: 20_000 })
  atEnd(t, () => crowded.destroy())
  const app = await testApp(t, crowded)
  const released = Promise.withResolvers<void>()
  const busy = [1, 2].map(() => crowded.connection().execute(() => released.promise))
  await until('all connections are open', () => useOf(crowded).open === 2)
  const early = visitor(app).get('/questions')
  await until('it waits', () => useOf(crowded).waiting > 0)
  const left = 1000 - useOf(crowded).waiting
  const waiting = Array.from({ length: left }, () => sql`select 1`.execute(crowded))
  assert.deepEqual(useOf(crowded), { open: 2, idle: 0, waiting: 1000 })

  const answer = await visitor(app).get('/questions')
  assertErrorPage(answer, 503)
  assert.equal(answer.headers['retry-after'], '5')
  assert.equal((await visitor(app).get('/healthz')).statusCode, 200)
  // Both answers came while nothing had become free.
  released.resolve()
  await Promise.all([...busy, ...waiting])
  assert.equal((await early).statusCode, 200, 'it waited for a connection that became free')
  assert.equal((await visitor(app).get('/questions')).statusCode, 200)
  assert.equal(useOf(crowded).waiting, 0)
  assert.equal(useOf(db).waiting, 0)
})

test('every connection of the forum has an end to statements, to waiting for locks, and to idle transactions', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const pool = connect(url, { connections: 3 })
  atEnd(t, () => pool.destroy())
  const settings = sql<{ name: string; value: string }>`
    select name, setting as value, pg_sleep(0.05) from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`
  const all = await Promise.all([1, 2, 3].map(() => settings.execute(pool)))
  const ends = { lock_timeout: 2000, statement_timeout: 2500, idle_in_transaction_session_timeout: 15_000 }
  for (const { rows } of all)
    assert.deepEqual(Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)])), ends)
})

/** Keeps everybody in this process waiting, without taking processor time from others. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

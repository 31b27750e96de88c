import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { newsKind, notifierOptions } from '../../forum/mailing/notifier.ts'
import { promiseKind } from '../../forum/telling/reminders.ts'
import { FAST } from '../../jobs/testing.ts'
import { SECRET, testAppThatLogs } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aProxy } from '../../testing/proxy.ts'
import { until } from '../../testing/waiting.ts'

/** A forum that does jobs, with its log, over a wire to the database. */
async function aForumOnAWire(t: Ending) {
  const { url } = await testDatabaseWithUrl(t)
  const proxy = await aProxy(t, url)
  const wired = connect(proxy.url)
  atEnd(t, () => wired.destroy())
  const { app, lines } = await testAppThatLogs(t, wired)
  for (const kind of [newsKind(wired, notifierOptions(app.config, SECRET)), promiseKind(wired)])
    app.jobs.start(kind, FAST)
  const entries = () => lines.map((line): Record<string, unknown> => JSON.parse(line))
  const eventsCalled = (name: string) => entries().filter(({ event }) => event === name)
  return { app, url, proxy, lines, entries, eventsCalled }
}

suite('a database that is away', { concurrency: 2 }, () => {
  for (const way of ['close', 'freeze'] as const)
    test(`gives one line when it goes and one when it is back, and no stack (${way})`, async (t) => {
      const { app, proxy, lines, entries, eventsCalled } = await aForumOnAWire(t)
      await visitor(app).get('/questions')
      for (const round of [1, 2]) {
        await proxy[way]()
        const pages = ['/questions', '/search?q=rest', '/courses', '/tags', '/api/v1/questions/1']
        await Promise.all(['/readyz', ...pages, '/readyz'].map((path) => visitor(app).get(path)))
        await until('it is noticed', () => eventsCalled('database-away').length === round)
        // Jobs look every few milliseconds, and say nothing of their own.
        await visitor(app).get('/readyz')
        await proxy.open()
        await until('it is back', () => eventsCalled('database-back').length === round)
        assert.equal((await visitor(app).get('/readyz')).statusCode, 200)
      }
      assert.equal(eventsCalled('database-away').length, 2)
      const others = entries().filter(
        ({ level, event }) => Number(level) >= 40 && !['database-away', 'database-back'].includes(`${event}`),
      )
      assert.ok(others.length > 0, 'refused requests have their lines')
      for (const { event, err, reason, reqId } of others) {
        assert.equal(event, 'failed', lines.join(''))
        assert.deepEqual([err, typeof reason, typeof reqId], [undefined, 'string', 'string'])
      }
      assert.doesNotMatch(lines.join(''), /"stack"/)
    })

  test('is told by jobs alone where nobody asks for a page', async (t) => {
    const { proxy, eventsCalled, entries } = await aForumOnAWire(t)
    await proxy.close()
    await until('jobs notice it', () => eventsCalled('database-away').length > 0)
    await proxy.open()
    await until('it is back', () => eventsCalled('database-back').length > 0)
    const others = entries().filter(({ level, event }) => Number(level) >= 40 && event === undefined)
    assert.deepEqual(others, [])
  })
})

test('what fails by itself, or in a connection to elsewhere, is told while the database answers', async (t) => {
  const { app, url, entries, eventsCalled } = await aForumOnAWire(t)
  const hasty = connect(url, { statementTimeout: 1 })
  atEnd(t, () => hasty.destroy())
  const slow = await sql`select pg_sleep(1)`.execute(hasty).catch((err: unknown) => err)
  const elsewhere = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  app.log.warn({ err: slow }, 'slow')
  app.log.warn({ err: elsewhere }, 'elsewhere')
  const lineOf = (said: string) => entries().find(({ msg }) => msg === said)
  await until('both are told', () => lineOf('elsewhere') !== undefined)
  // Ended by the server, or by the client that waits a little longer.
  assert.match(JSON.stringify(lineOf('slow')), /canceling statement.*"stack"|"stack".*canceling statement/)
  assert.equal(lineOf('elsewhere')?.reason, 'connect ECONNREFUSED')
  assert.deepEqual(eventsCalled('database-away'), [])
})

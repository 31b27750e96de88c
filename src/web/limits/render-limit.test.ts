import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { LIMITS } from '../../kernel/limits.ts'
import { Problem } from '../../kernel/problem.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { RenderLimit } from './limits.ts'

const { account, address } = LIMITS.pages

/** As if the limit were used up but for a number of pages. */
function useUp(app: FastifyInstance, who: Parameters<RenderLimit['count']>[0], left: number): void {
  const { max } = who.person === null ? address : account
  for (let count = 0; count < max - left; count += 1) app.renderLimit.count(who)
}

suite('pages rendered for one account or network', () => {
  test('are refused in great number, while cached ones are sent as ever', async (t) => {
    const { app, db, changes } = await aHearingForum(t)
    await aQuestion(db)
    await changes.caughtUp()
    for (let count = 0; count < 2; count += 1)
      await app.inject({ url: '/questions', remoteAddress: '192.0.2.7' })
    useUp(app, { person: null, ip: '127.0.0.1' }, 1)
    const statuses = []
    for (const url of ['/tags', '/courses', '/sign-in', '/no-such-page', '/questions?sort=votes'])
      statuses.push((await app.inject(url)).statusCode)
    assert.deepEqual(statuses, [200, 429, 429, 429, 429])
    const refused = await app.inject('/tags?q=a')
    assert.ok(Number(refused.headers['retry-after']) > 0)
    for (const url of ['/questions', '/questions?zz=1', '/healthz'])
      assert.equal((await app.inject(url)).statusCode, 200, url)
    assert.equal((await app.inject({ url: '/tags', remoteAddress: '192.0.2.7' })).statusCode, 200)
  })

  test('are counted for each account, whatever its network', async (t) => {
    const { app, db } = await aHearingForum(t)
    const person = await aPerson(db)
    const [reader, neighbour] = [await signedIn(app, person), await signedIn(app, await aPerson(db))]
    await reader.get('/settings')
    useUp(app, { person, ip: '127.0.0.1' }, 1)
    assert.equal((await reader.get('/settings')).statusCode, 429)
    assert.equal((await neighbour.get('/settings')).statusCode, 200)
  })
})

test('a limit ends with its minute, whatever becomes of the clock', (t) => {
  let now = performance.now()
  t.mock.method(performance, 'now', () => now)
  const limit = new RenderLimit()
  const visitor = { person: null, ip: '192.0.2.1' }
  for (let count = 0; count < address.max; count += 1) limit.count(visitor)
  assert.throws(() => limit.count(visitor), Problem)
  now += address.window
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  limit.count(visitor)
})

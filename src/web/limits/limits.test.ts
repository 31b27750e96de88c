import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { LIMITS } from '../../kernel/limits.ts'
import { Problem } from '../../kernel/problem.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aPerson, aQuestion } from '../../testing/builders.ts'
import { aForum, aHearingForum, sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf, valueIn } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { assertErrorPage } from '../testing.ts'
import { RenderLimit } from './limits.ts'

const TYPED = 'Words that took\nan hour to write <&>'

/** Forms that nobody sends too often: they only end something of one's own; passkeys are tried in their own room. */
const UNLIMITED = /^\/(?:bad-request|sign-out|sign-in\/with\/)|passkey/

test('every form without an operation that is sent too often answers 429 with all that was typed, and locks out nobody else', async (t) => {
  const { app, db } = await aForum(t)
  const browser = await signedIn(app, await aPerson(db))
  const forms = routesOf(app)
    .filter(({ method, path }) => method === 'POST' && !app.forms.has(path) && !UNLIMITED.test(path))
    .map(({ path: route }) => {
      const path = route.replace(/:\w+/, '1')
      return { path, from: path.startsWith('/sign-') ? visitor(app) : browser }
    })
  assert.ok(forms.length >= 12, String(forms.length))
  const send = ({ path, from }: (typeof forms)[number]) =>
    from.post(path, { title: 'A title', body: TYPED, password: 'a secret of mine' }, { token: 'x' })
  // Refused for its token, after it was counted.
  for (const form of forms) assert.ok([303, 403].includes((await send(form)).statusCode), form.path)
  await sql`update tries set count = 1000000`.execute(db)

  for (const form of forms) {
    const refused = await send(form)
    assertErrorPage(refused, 429, form.path)
    const wait = Number(refused.headers['retry-after'])
    assert.ok(wait > 0 && wait <= 60 * 60, `${form.path}: ${wait}`)
    const typed = elementIn(refused.body, 'typed-body')
    assert.match(typed, /Words that took\nan hour to write &lt;&amp;&gt;/, form.path)
    assert.ok(refused.body.includes(`action="${form.path}"`), form.path)
    assert.match(textOf(refused.body), /Send again/)
    assert.doesNotMatch(refused.body, /a secret of mine/)
  }

  const other = await signedIn(app, await aPerson(db))
  assert.equal((await other.post('/preview', { body: 'Somebody else' })).statusCode, 200)
  const elsewhere = await app.inject({ method: 'POST', url: '/sign-in', remoteAddress: '192.0.2.9' })
  assert.notEqual(elsewhere.statusCode, 429)
})

test('what is sent again after the wait is taken', async (t) => {
  const { app, db } = await aForum(t)
  const question = await aQuestion(db)
  const browser = await signedIn(app, await aPerson(db))
  const path = `/questions/${question.id}/answers`
  assert.equal((await browser.post(path, { body: 'first' })).statusCode, 303)
  await sql`update tries set count = ${LIMITS.posting.account.max}`.execute(db)
  const refused = await browser.post(path, { body: TYPED })
  assert.equal(refused.statusCode, 429)
  await sql`update tries set ends_at = now() - interval '1 second'`.execute(db)
  const token = valueIn(refused.body.slice(refused.body.indexOf(`action="${path}"`)), '_csrf')
  assert.ok(token !== null)
  assert.equal((await browser.post(path, { body: TYPED }, { token })).statusCode, 303)
})

test('each search page counts for its own limit, and a page that is refused is still the forum’s', async (t) => {
  const { app } = await aForum(t)
  for (let count = 0; count < LIMITS.search.address.max; count += 1) await app.inject('/search')
  assertErrorPage(await visitor(app).get('/search?q=x'), 429)
  assert.notEqual((await visitor(app).get('/search/suggestions?q=x')).statusCode, 429)
})

suite('limits of a network', () => {
  const forum = sharedForum()
  beforeEach(() => sql`delete from tries`.execute(forum.db))
  let signUps = 0

  /** Creates an account in whatever session this browser is in. */
  function signUp(browser: Browser) {
    signUps += 1
    const email = `eve-${signUps}@example.com`
    return browser.post('/sign-up', { display_name: 'Eve', email, password: 'six blue doors in a row' })
  }

  /** As if all that was counted so far had been done this often. */
  const counted = (often: number) => sql`update tries set count = ${often}`.execute(forum.db)

  test('accounts signed up one in the session of another count for the network that they come from', async () => {
    const { app } = forum
    assert.equal((await signUp(visitor(app))).statusCode, 303)
    await counted(LIMITS.signUp.address.max - 1)
    const browser = visitor(app)
    assert.equal((await signUp(browser)).statusCode, 303)
    assert.ok(browser.cookies.has('session'))
    const refused = await signUp(browser)
    assertErrorPage(refused, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await signUp(visitor(app))).statusCode, 429)
  })

  test('mails and sign-in forms of a network count together, regardless of who is signed in', async () => {
    const { app, db } = forum
    for (const [path, limit, fields] of [
      ['/forgotten-password', 'mail', { email: 'nobody@example.com' }],
      ['/settings/email/confirmation', 'mail', {}],
      ['/sign-in', 'signIn', { email: 'nobody@example.com', password: 'not it' }],
      ['/settings/password', 'signIn', { password: 'six blue doors in a row' }],
    ] as const) {
      await sql`delete from tries`.execute(db)
      assert.notEqual((await visitor(app).post(path, fields)).statusCode, 429, path)
      await counted(LIMITS[limit].address.max)
      const fresh = await signedIn(app, await aPerson(db))
      assertErrorPage(await fresh.post(path, fields), 429, path)
    }
  })

  test('an account is limited wherever it signs in from, in addition', async () => {
    const { app, db } = forum
    const browser = await signedIn(app, await aPerson(db))
    const send = (remoteAddress: string) => browser.post('/settings/password', {}, { remoteAddress })
    assert.notEqual((await send('192.0.2.1')).statusCode, 429)
    await counted(LIMITS.signIn.account.max)
    assert.equal((await send('192.0.2.2')).statusCode, 429)
  })

  test('all addresses of an IPv6 network count together', async () => {
    const { app } = forum
    const send = (remoteAddress: string) => visitor(app).post('/sign-in', {}, { remoteAddress })
    assert.notEqual((await send('2001:db8:1:2::1')).statusCode, 429)
    await counted(LIMITS.signIn.address.max)
    assert.equal((await send('2001:db8:1:2:ffff::2')).statusCode, 429)
    assert.notEqual((await send('2001:db8:1:3::1')).statusCode, 429)
  })
})

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

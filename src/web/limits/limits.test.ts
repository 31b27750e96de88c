import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import { LIMITS } from '../../kernel/limits.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { anAnswer, aPerson } from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { elementIn, textOf } from '../../testing/page.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { assertErrorPage } from '../testing.ts'

const TYPED = 'Words that took\nan hour to write <&>'

/** Forms that nobody sends too often: they only end something of one's own; passkeys are tried in their own room. */
const UNLIMITED = /^\/(?:bad-request|sign-out|sign-in\/with\/)|passkey/

test('every form without an operation that is sent too often answers 429 with all that was typed, and locks out nobody else', async (t) => {
  const { app, db } = await aForum(t)
  const browser = await signedIn(app, await aPerson(db))
  const forms = routesOf(app)
    .filter(({ method, path }) => method === 'POST' && !app.forms.has(path) && !UNLIMITED.test(path))
    .map(({ path }) => ({
      path: path.replace(/:\w+/, '1'),
      from: path.startsWith('/sign-') ? visitor(app) : browser,
    }))
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
  const { question } = await anAnswer(db)
  const browser = await signedIn(app, await aPerson(db))
  const path = `/questions/${question.id}/answers`
  assert.equal((await browser.post(path, { body: 'first' })).statusCode, 303)
  await sql`update tries set count = ${LIMITS.posting.account.max}`.execute(db)
  const refused = await browser.post(path, { body: TYPED })
  assert.equal(refused.statusCode, 429)
  await sql`update tries set ends_at = now() - interval '1 second'`.execute(db)
  const token = /name="_csrf" value="([^"]+)"/.exec(
    refused.body.slice(refused.body.indexOf(`action="${path}"`)),
  )?.[1]
  assert.ok(token !== undefined)
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
    const fields = {
      display_name: 'Eve',
      email: `eve-${signUps}@example.com`,
      password: 'six blue doors in a row',
    }
    return browser.post('/sign-up', fields)
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

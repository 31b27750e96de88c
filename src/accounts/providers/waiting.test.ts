import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember } from '../../testing/builders.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { anOwner, PASSWORD } from '../testing.ts'
import { setProviderOn } from './commands.ts'
import { aForumWithProvider, comeBy, leave, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

const LINK = '/sign-in/with/oidc/link'
const ACCOUNT = '/sign-in/with/oidc/account'

/** Ann, whose confirmed address a trusted provider verifies, and Ben, who uses the same browser. Both know their passwords. */
async function aScene(t: TestContext) {
  const { app, db, person: ann, provider } = await aForumWithProvider(t)
  const ben = await anOwner(db, { displayName: 'Ben' })
  await setOptions(app, { trusts_addresses: true, allowed_domains: ['example.com'] })
  provider.answers.claims = { email: ann.email, email_verified: true }
  const browser = visitor(app)
  const signIn = (who: { readonly email: string }, next = '/') =>
    browser.post('/sign-in', { email: who.email, password: PASSWORD, next })
  const linked = async () => valuesOf(await rowsOf(db, 'linked_accounts', {}), 'person_id')
  const people = async () => (await rowsOf(db, 'people', {})).length
  return { app, db, ann, ben, provider, browser, signIn, linked, people }
}

/** Lets time pass since they came back. */
const pass = (db: Database, seconds: number) =>
  setRows(db, 'provider_sign_ins', {}, { returned_at: sql`returned_at - make_interval(secs => ${seconds})` })

/** Nothing is linked or created from that tab any more, whoever tries. */
async function isForgotten(browser: Browser, { path, state }: ReturnType<typeof waitingAt>) {
  assert.equal((await browser.get(path)).statusCode, 410)
  const person = await personIn(browser)
  if (person === null) assert.equal((await browser.post(ACCOUNT, { state })).statusCode, 410)
  else {
    const link = { state, current_password: PASSWORD }
    assert.equal((await browser.post(LINK, link)).statusCode, 410)
    await browser.post(ACCOUNT, { state })
    assert.equal(await personIn(browser), person)
  }
}

suite('who came back from a provider and waits', () => {
  test('is not there for the next person who signs in in that browser, nor for a visitor after they signed out', async (t) => {
    const { ben, provider, browser, signIn, linked, people } = await aScene(t)
    const waiting = waitingAt(await signInBy(browser, provider))
    await signIn(ben)
    await isForgotten(browser, waiting)
    await browser.post('/sign-out')
    await isForgotten(browser, waiting)
    assert.deepEqual([await linked(), await people()], [[], 2])
  })

  test('is not there for who signs in after the session over which they came back ended', async (t) => {
    const { ann, ben, provider, browser, signIn, linked, people } = await aScene(t)
    await signIn(ben)
    const waiting = waitingAt(await signInBy(browser, provider))
    await browser.post('/sign-out')
    await isForgotten(browser, waiting)
    await signIn(ann)
    await isForgotten(browser, waiting)
    assert.deepEqual([await linked(), await people()], [[], 2])
  })

  test('stays over the one sign-in that its own page leads to, and no second one', async (t) => {
    const { ann, ben, provider, browser, signIn, linked } = await aScene(t)
    const waiting = waitingAt(await signInBy(browser, provider))
    await signIn(ann, waiting.path)
    assert.match((await browser.get(waiting.path)).body, /name="current_password"/)
    await signIn(ben, waiting.path)
    await isForgotten(browser, waiting)
    assert.deepEqual(await linked(), [])
  })

  for (const isOver of [false, true])
    test(`shows “This isn’t me” first to another account than the expected one: ${isOver ? 'signed in when they came back' : 'that signs in on its page'}`, async (t) => {
      const { ben, provider, browser, signIn, linked } = await aScene(t)
      const address = await leave(browser)
      if (isOver) await signIn(ben)
      const waiting = waitingAt(await browser.get(provider.waysBack(address)))
      if (!isOver) await signIn(ben, waiting.path)
      const page = (await browser.get(waiting.path)).body
      assert.match(textOf(page), /signed in here as Ben.* This isn’t me/)
      assert.doesNotMatch(page, /name="current_password"/)
      assert.match((await browser.get(`${waiting.path}&mine=1`)).body, /name="current_password"/)
      const forgotten = await browser.post(`${LINK}/forget`)
      assert.match(textOf((await browser.follow(forgotten)).body), /Sign-in with Hanbit University discarded/)
      await isForgotten(browser, waiting)
      assert.deepEqual(await linked(), [])
    })

  test('is linked at once by who left over their own session, whatever address they have there', async (t) => {
    const { app, ben, provider, linked } = await aScene(t)
    const browser = await signedIn(app, ben)
    const { path, state } = waitingAt(await signInBy(browser, provider))
    assert.match((await browser.get(path)).body, /name="current_password"/)
    await browser.post(LINK, { state, current_password: PASSWORD })
    assert.deepEqual(await linked(), [ben.id])
  })

  test('is the tab’s own: neither the browser alone nor the address alone shows it', async (t) => {
    const { app, provider, browser } = await aScene(t)
    const waiting = waitingAt(await signInBy(browser, provider))
    assert.equal((await browser.get(LINK)).statusCode, 410)
    assert.equal((await visitor(app).get(waiting.path)).statusCode, 410)
    assert.equal((await browser.get(waiting.path)).statusCode, 200)
  })

  test('waits for five minutes, and after one the provider is to ask again who they are', async (t) => {
    const { db, provider, browser, people } = await aScene(t)
    const first = waitingAt(await signInBy(browser, provider, '?next=/tags'))
    await pass(db, 61)
    const asked = await browser.post(ACCOUNT, { state: first.state })
    assert.equal(asked.headers.location, '/sign-in/with/oidc?again=1&next=%2Ftags')
    await isForgotten(browser, first)
    const again = String((await browser.follow(asked)).headers.location)
    const { searchParams } = new URL(again)
    assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0'])
    const ago = (seconds: number) => ({ auth_time: Math.floor(Date.now() / 1000) - seconds })
    provider.answers.claims = { ...provider.answers.claims, ...ago(600) }
    assert.equal((await browser.get(provider.waysBack(again))).statusCode, 502, 'it did not ask')
    provider.answers.claims = { ...provider.answers.claims, ...ago(0) }
    const second = waitingAt(await signInBy(browser, provider, '?again=1&next=/tags'))
    await pass(db, 301)
    await isForgotten(browser, second)
    assert.equal(await people(), 2)
    const third = waitingAt(await signInBy(browser, provider, '?next=/tags'))
    assert.equal((await browser.post(ACCOUNT, { state: third.state })).headers.location, '/tags')
    assert.equal(await people(), 3)
  })

  test('is linked after a minute only once the provider asked again, too', async (t) => {
    const { db, ann, provider, browser, signIn, linked } = await aScene(t)
    const first = waitingAt(await signInBy(browser, provider))
    await signIn(ann, first.path)
    await pass(db, 61)
    const asked = await browser.post(LINK, { state: first.state, current_password: PASSWORD })
    assert.equal(asked.headers.location, '/sign-in/with/oidc?again=1&next=%2F')
    assert.deepEqual(await linked(), [])
    const back = await browser.get(provider.waysBack(String((await browser.follow(asked)).headers.location)))
    const { state } = waitingAt(back)
    await browser.post(LINK, { state, current_password: PASSWORD })
    assert.deepEqual(await linked(), [ann.id])
  })
})

suite('what changes while something is under way', () => {
  test('a provider that is turned off lets in nobody who is on the way, and ends the sessions of who came in', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const before = await comeBy(app, provider)
    const { id } = await rowOf(db, 'identity_providers', {})
    const late = visitor(app)
    const back = provider.waysBack(await leave(late))
    const [answer] = await db.transaction().execute(async (write) => {
      await setProviderOn(write, id, false)
      const coming = late.get(back)
      await untilWaiting(db)
      return [coming]
    })
    assert.equal((await answer).statusCode, 404)
    assert.equal(await personIn(before), null)
    assert.equal(await personIn(late), null)
    for (const table of ['sessions', 'provider_sessions'] as const)
      assert.deepEqual(await rowsOf(db, table, {}), [])
  })

  test('nor does it link an account that waited, or finish a sign-in that waits for a code', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    const { state } = waitingAt(await signInBy(owner, provider))
    await setOptions(app, { is_on: false })
    const linked = await owner.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    assert.equal(linked.statusCode, 404)
    assert.deepEqual(await rowsOf(db, 'linked_accounts', {}), [])
  })
})

suite('staff who need a second factor', () => {
  test('have shown it where a provider reports one that an admin accepts, in that session, and as long as it is accepted', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const course = await aCourse(db)
    await aMember(db, course, 'instructor', person)
    await changeSiteSettings(db, { staffNeedSecondFactor: true })
    await setOptions(app, { accepts_factor: true })
    const byPassword = await signedIn(app, person)
    const { state } = waitingAt(await signInBy(byPassword, provider))
    await byPassword.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    const settings = `/courses/${course.slug}/settings`
    const isTrusted = async (browser: typeof byPassword) => {
      const { headers } = await browser.post(`/courses/${course.slug}/lectures`, { lectures: 'Verbs' })
      const posted = String(headers.location)
      const shown = (await browser.get(settings)).statusCode
      assert.equal(shown === 200, posted.startsWith('/courses/'), `${shown} ${posted}`)
      return shown === 200
    }
    // As with a password alone: not enough.
    assert.equal(await isTrusted(byPassword), false)
    provider.answers.claims = { amr: ['pwd'] }
    const withoutFactor = await comeBy(app, provider)
    assert.equal(await isTrusted(withoutFactor), false)
    for (const claims of [{ amr: ['pwd', 'otp'] }, { acr: 'https://refeds.org/profile/mfa' }]) {
      provider.answers.claims = claims
      assert.equal(await isTrusted(await comeBy(app, provider)), true, JSON.stringify(claims))
    }
    const withFactor = await comeBy(app, provider)
    // A second factor counts for the session that showed it, and for no other.
    assert.equal(await isTrusted(byPassword), false)
    await setOptions(app, { accepts_factor: false })
    assert.equal(await isTrusted(withFactor), false)
    await setOptions(app, { accepts_factor: true })
    assert.equal(await isTrusted(withFactor), true)
  })
})

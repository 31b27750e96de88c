import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { changeSiteSettings } from '../../kernel/rights/site-settings.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember } from '../../testing/builders.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { PASSWORD } from '../testing.ts'
import { setProviderOn } from './commands.ts'
import { aForumWithProvider, comeBy, leave, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

const idOf = async (app: Awaited<ReturnType<typeof aForumWithProvider>>['app']) =>
  (await app.db.selectFrom('identity_providers').select('id').executeTakeFirstOrThrow()).id

suite('what changes while something is under way', () => {
  test('a provider that is turned off lets in nobody who is on the way, and ends the sessions of who came in', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const before = await comeBy(app, provider)
    const id = await idOf(app)
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
    assert.deepEqual(await db.selectFrom('sessions').selectAll().execute(), [])
    assert.deepEqual(await db.selectFrom('provider_sessions').selectAll().execute(), [])
  })

  test('nor does it link an account that waited, or finish a sign-in that waits for a code', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    const { state } = waitingAt(await signInBy(owner, provider))
    await setOptions(app, { is_on: false })
    const linked = await owner.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    assert.equal(linked.statusCode, 404)
    assert.deepEqual(await db.selectFrom('linked_accounts').selectAll().execute(), [])
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
    const post = (browser: typeof byPassword) =>
      browser.post(`/courses/${course.slug}/lectures`, { lectures: 'Verbs' })
    const isTrusted = async (browser: typeof byPassword) => {
      const posted = String((await post(browser)).headers.location)
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
    // What this session showed counts for no other.
    assert.equal(await isTrusted(byPassword), false)
    await setOptions(app, { accepts_factor: false })
    assert.equal(await isTrusted(withFactor), false)
    await setOptions(app, { accepts_factor: true })
    assert.equal(await isTrusted(withFactor), true)
  })
})

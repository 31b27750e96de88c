import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aHearingForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { anApp } from '../second-factor/testing.ts'
import { lettersTo, NO_WAY_IN, PASSWORD, waysInto } from '../testing.ts'
import type { CraftedProvider } from './crafted-provider-testing.ts'
import { addProviderRow } from './row-testing.ts'
import { aForumWithProvider, comeBy, leave, personIn, setOptions, signInBy, waitingAt } from './testing.ts'

/** The provider verifies somebody’s address, and is trusted for it. */
async function trust(app: FastifyInstance, provider: CraftedProvider, { email }: { readonly email: string }) {
  await setOptions(app, { trusts_addresses: true, allowed_domains: [email.split('@')[1] ?? ''] })
  provider.answers.claims = { email, email_verified: true }
}

suite('signing in with a provider of OpenID Connect', () => {
  test('leads there and back to where one wanted to go, with an account of the first time', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    const browser = visitor(app)
    const page = (await browser.get('/sign-in?next=/tags')).body
    assert.match(page, /href="\/sign-in\/with\/oidc\?next=%2Ftags"/)
    const address = new URL(await leave(browser, '?next=/tags'))
    const { origin, pathname, searchParams } = address
    assert.equal(`${origin}${pathname}`, `${provider.issuer}/authorize`)
    assert.equal(searchParams.get('redirect_uri'), 'http://localhost:3000/sign-in/with/oidc/return')
    assert.equal(searchParams.get('code_challenge_method'), 'S256')
    assert.match(searchParams.get('scope') ?? '', /openid/)
    const back = await browser.get(provider.waysBack(address.href))
    assert.equal(back.headers.location, '/tags')
    assert.equal(await personIn(browser), 'Mina Kim')
    const { body } = provider.asked.find(({ path }) => path === '/token') ?? assert.fail()
    assert.ok((body.get('code_verifier') ?? '').length >= 43)

    assert.equal((await lettersTo(db, 'mina@school.example'))[0]?.kind, 'confirmation')
    await comeBy(app, provider)
    assert.equal((await rowsOf(db, 'people', {})).length, 2)
  })

  test('makes another account for who wants no link, once, and for nobody who did not come back', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    await trust(app, provider, person)
    const form = '/sign-in/with/oidc/account'
    const lost = await visitor(app).post(form)
    assert.equal(lost.statusCode, 410)
    assert.match(textOf(lost.body), /This sign-in has expired/)
    const browser = visitor(app)
    const back = await signInBy(browser, provider, '?next=/tags')
    const { state } = waitingAt(back)
    assert.ok((await browser.follow(back)).body.includes(`action="${form}"`))
    assert.equal((await browser.post(form)).statusCode, 410, 'the field is missing')
    for (let pressed = 0; pressed < 2; pressed += 1)
      assert.equal((await browser.post(form, { state })).headers.location, '/tags')
    assert.equal(await personIn(browser), 'Mina Kim')
    assert.equal((await rowsOf(db, 'people', {})).length, 2)
    await setOptions(app, { creates_accounts: false })
    provider.answers.claims = { ...provider.answers.claims, sub: 'another' }
    const other = visitor(app)
    const came = await signInBy(other, provider)
    assert.ok(!(await other.follow(came)).body.includes(`action="${form}"`))
    assert.equal((await other.post(form, { state: waitingAt(came).state })).statusCode, 200)
    assert.equal(await personIn(other), null)
  })

  test('tells who is new that an account had only claimed their address', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    await db.updateTable('people').set({ email_confirmed_at: null }).execute()
    await trust(app, provider, person)
    assert.match(textOf((await (await comeBy(app, provider)).get('/')).body), /ask an admin to merge the two/)
    assert.deepEqual(await waysInto(db, person), { ...NO_WAY_IN, email: null })
  })

  test('links no account that its domains keep from signing in, when it comes back or later', async (t) => {
    const { app, db, person, provider } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    const linked = () => rowsOf(db, 'linked_accounts', {})
    const { state } = waitingAt(await owner.get(provider.waysBack(await leave(owner))))
    await setOptions(app, { allowed_domains: ['elsewhere.example'] })
    const link = { state, current_password: PASSWORD }
    const waiting = await owner.post('/sign-in/with/oidc/link', link)
    assert.doesNotMatch(String(waiting.headers.location), /settings/)
    assert.deepEqual(await linked(), [])
    const refused = await owner.get(provider.waysBack(await leave(owner)))
    assert.equal(refused.statusCode, 403)
    assert.match(textOf(refused.body), /elsewhere\.example|email address/)
    assert.deepEqual(await linked(), [])
  })

  test('costs the sign-in page no statement, however many providers there are', async (t) => {
    const { app, db, changes } = await aHearingForum(t)
    const browser = visitor(app)
    await browser.get('/sign-in')
    await app.jobs.stop()
    for (const count of [0, 1, 4]) {
      await db.deleteFrom('identity_providers').execute()
      for (let number = 0; number < count; number += 1) await addProviderRow(db, `github-${number}`)
      await changes.caughtUp()
      await browser.get('/sign-in')
      const statements = recordStatements(t)
      const { body } = await browser.get('/sign-in')
      assert.equal([...body.matchAll(/href="\/sign-in\/with\//g)].length, count)
      assert.deepEqual(statements, [], `${count} providers`)
    }
  })

  test('asks for the forum’s own second factor, unless an admin trusts the provider’s', async (t) => {
    const { app, person, provider, db } = await aForumWithProvider(t)
    const owner = await signedIn(app, person)
    const { state } = waitingAt(await signInBy(owner, provider))
    await owner.post('/sign-in/with/oidc/link', { state, current_password: PASSWORD })
    const { code } = await anApp(app, person)
    const browser = visitor(app)
    const half = await signInBy(browser, provider, '?next=/tags')
    assert.equal(half.headers.location, '/sign-in/code')
    assert.equal(await personIn(browser), null)
    provider.answers.claims = { amr: ['pwd', 'otp'] }
    assert.equal((await signInBy(visitor(app), provider)).headers.location, '/sign-in/code')
    const whole = await browser.post('/sign-in/code', { code: code() })
    assert.equal(whole.headers.location, '/tags')
    assert.equal((await rowsOf(db, 'provider_sessions', {})).length, 1)
    await setOptions(app, { accepts_factor: true })
    assert.equal((await signInBy(visitor(app), provider, '?next=/tags')).headers.location, '/tags')
    provider.answers.claims = { amr: ['pwd'] }
    assert.equal((await signInBy(visitor(app), provider)).headers.location, '/sign-in/code')
  })

  test('replaces the password for a while only where the provider has just asked who it is', async (t) => {
    const { app, db, provider } = await aForumWithProvider(t)
    await comeBy(app, provider)
    for (const seconds of [3600, 5]) {
      provider.answers.claims = { auth_time: Math.floor(Date.now() / 1000) - seconds }
      await comeBy(app, provider)
    }
    const sessions = await db.selectFrom('sessions').select('proof').orderBy('signed_in_at').execute()
    assert.deepEqual(valuesOf(sessions, 'proof'), ['provider', 'provider', 'fresh-provider'])
    const again = new URL(await leave(visitor(app), '?again=1'))
    assert.deepEqual([again.searchParams.get('prompt'), again.searchParams.get('max_age')], ['login', '0'])
  })
})

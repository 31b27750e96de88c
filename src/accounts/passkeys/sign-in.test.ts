import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { visitor } from '../../testing/browser.ts'
import { setRows } from '../../testing/rows.ts'
import { GUESSES } from '../identity/guesses.ts'
import { aForum, isSignedIn, PASSWORD } from '../testing.ts'
import { Authenticator, type Mischief } from './authenticator-testing.ts'
import { aPasskey, signInWith } from './testing.ts'
import { CHALLENGE_LIFE, sweepChallenges } from './webauthn.ts'

suite('signing in with a passkey', () => {
  test('needs nothing else, leads on, and is enough for what asks for the password again', async (t) => {
    const { app, db, person } = await aForum(t)
    const { key } = await aPasskey(app, person)
    const browser = visitor(app)
    assert.match((await browser.get('/sign-in')).body, /action="\/sign-in\/passkey"/)
    const entered = await signInWith(browser, key)
    assert.equal(entered.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))
    const passkey = await db.selectFrom('passkeys').selectAll().executeTakeFirstOrThrow()
    assert.equal(passkey.counter, 1)
    assert.ok(passkey.last_used_at !== null && passkey.is_backed_up)

    const password = 'a row of seven green bottles'
    assert.equal((await browser.post('/settings/password', { password })).statusCode, 303)
    const later = visitor(app)
    await signInWith(later, key)
    await setRows(db, 'sessions', { proof: 'passkey' }, { proved_at: sql`now() - interval '16 minutes'` })
    assert.equal((await later.post('/settings/password', { password: PASSWORD })).statusCode, 422)
  })

  test('is refused when anything about the signature is not as it should be', async (t) => {
    const { app, person } = await aForum(t)
    const { key } = await aPasskey(app, person)
    const bad: Record<string, Mischief> = {
      'another site': { origin: 'https://localhost.example' },
      'another host’s key': { rpId: 'forum.example' },
      'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
      'an answer to another question': { type: 'webauthn.create' },
      'nobody there': { isPresent: false },
      'nobody verified': { isVerified: false },
      'another kind of key': { isBackupEligible: false },
      'somebody else meant': { userHandle: Buffer.alloc(32).toString('base64url') },
      'nobody meant': { userHandle: null },
      'a changed signature': { isTampered: true },
    }
    for (const [what, mischief] of Object.entries(bad)) {
      const browser = visitor(app)
      const refused = await signInWith(browser, key, mischief)
      assert.equal(refused.statusCode, 422, what)
      assert.match(refused.body, /This passkey doesn’t match this account/, what)
      assert.ok(!(await isSignedIn(browser)), what)
    }
    const unknown = await signInWith(visitor(app), new Authenticator())
    assert.equal(unknown.statusCode, 422)
    for (const _passkey of ['', 'null', '{}', '[1]', '{"id":{}}', 'x'.repeat(40_000)])
      assert.equal((await visitor(app).post('/sign-in/passkey', { _passkey })).statusCode, 422)
  })

  test('refuses a key whose counter goes back: somebody has a copy', async (t) => {
    const { app, person } = await aForum(t)
    const { key } = await aPasskey(app, person)
    assert.equal((await signInWith(visitor(app), key, { counter: 7 })).statusCode, 303)
    for (const counter of [7, 6, 0])
      assert.equal((await signInWith(visitor(app), key, { counter })).statusCode, 422, String(counter))
    assert.equal((await signInWith(visitor(app), key, { counter: 8 })).statusCode, 303)
  })

  test('takes each challenge once, from the browser it was given to, for five minutes', async (t) => {
    const { app, db, person } = await aForum(t)
    const { key } = await aPasskey(app, person)
    const browser = visitor(app)
    const options = (await browser.get('/sign-in/passkey/challenge')).json()
    const token = await browser.token('/sign-in')
    const cookies = new Map(browser.cookies)
    const answers = [key.sign(options), key.sign(options)]
    const stolen = await visitor(app).post('/sign-in/passkey', { _passkey: answers[0] ?? '' })
    assert.equal(stolen.statusCode, 422, 'from another browser')
    const both = await Promise.all(
      answers.map((_passkey) => browser.post('/sign-in/passkey', { _passkey }, { token })),
    )
    assert.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [303, 422])
    const thief = visitor(app)
    for (const [name, value] of cookies) thief.cookies.set(name, value)
    const replayed = await thief.post('/sign-in/passkey', { _passkey: key.sign(options) }, { token })
    assert.equal(replayed.statusCode, 422, 'again')

    for (const [age, status] of [
      [CHALLENGE_LIFE - 1000, 303],
      [CHALLENGE_LIFE, 422],
    ] as const) {
      const slow = visitor(app)
      const _passkey = key.sign((await slow.get('/sign-in/passkey/challenge')).json())
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + age })
      const answer = await slow.post('/sign-in/passkey', { _passkey })
      t.mock.timers.reset()
      assert.equal(answer.statusCode, status, `after ${age} ms`)
    }
    await db.updateTable('answered_challenges').set({ answered_at: sql`now() - interval '2 days'` }).execute()
    assert.ok((await sweepChallenges(db)) > 0)
  })

  test('pauses after ten wrong signatures for one account from one network', async (t) => {
    const { app, person } = await aForum(t)
    const { key } = await aPasskey(app, person)
    for (let guess = 0; guess < GUESSES.max; guess += 1)
      assert.equal((await signInWith(visitor(app), key, { isTampered: true })).statusCode, 422)
    const limited = await signInWith(visitor(app), key)
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
  })

  test('is not there where browsers offer none', async (t) => {
    const { app } = await aForum(t, { baseUrl: 'http://127.0.0.1:3000' })
    const browser = visitor(app)
    assert.doesNotMatch((await browser.get('/sign-in')).body, /passkey/)
    assert.equal((await browser.get('/sign-in/passkey/challenge')).statusCode, 404)
    assert.equal((await browser.post('/sign-in/passkey', { _passkey: '{}' })).statusCode, 404)
  })
})

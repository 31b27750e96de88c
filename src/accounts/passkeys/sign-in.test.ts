import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { changeSiteSettings, findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { aBackup, aTemporaryFolder, restoreInto } from '../../operating/backup/testing.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { GUESSES } from '../identity/guesses.ts'
import { anApp } from '../second-factor/testing.ts'
import { aForum, anOwner, isSignedIn, OTHER_PASSWORD, PASSWORD } from '../testing.ts'
import { Authenticator, type Mischief } from './authenticator-testing.ts'
import { aPasskey, optionsIn, signInWith } from './testing.ts'
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
    const { counter, last_used_at: at, is_backed_up } = await rowOf(db, 'passkeys', {})
    assert.deepEqual([counter, at !== null, is_backed_up], [1, true, true])
    const password = { password: OTHER_PASSWORD }
    assert.equal((await browser.post('/settings/password', password)).statusCode, 303)
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
    assert.equal((await signInWith(visitor(app), new Authenticator())).statusCode, 422)
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
    await setRows(db, 'answered_challenges', {}, { answered_at: sql`now() - interval '2 days'` })
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

suite('a passkey as the second step', () => {
  /** A browser in which somebody gave their password. */
  async function half(app: FastifyInstance, { email }: { readonly email: string }) {
    const started = visitor(app)
    const answer = await started.post('/sign-in', { email, password: PASSWORD, next: '/tags' })
    assert.equal(answer.headers.location, '/sign-in/code')
    return started
  }

  test('is asked for after the password, and only the same person’s will do', async (t) => {
    const { app, db, person } = await aForum(t)
    const { key, recoveryCodes } = await aPasskey(app, person)
    const theirs = await aPasskey(app, await anOwner(db))
    const browser = await half(app, person)
    const page = (await browser.get('/sign-in/code')).body
    assert.match(page, /action="\/sign-in\/code\/passkey"/)
    assert.match(page, /Recovery code/)
    const path = '/sign-in/code/passkey'
    const { allowCredentials } = (await browser.get(`${path}/challenge`)).json()
    assert.deepEqual(
      allowCredentials.map(({ id }: { readonly id: string }) => id),
      [key.id.toString('base64url')],
    )
    assert.equal((await signInWith(browser, theirs.key, {}, path)).statusCode, 422)
    assert.ok(!(await isSignedIn(browser)))
    const right = await signInWith(browser, key, { userHandle: null }, path)
    assert.equal(right.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))

    const code = await (await half(app, person)).post('/sign-in/code', { code: recoveryCodes[0] ?? '' })
    assert.equal(code.headers.location, '/tags')
    const full = await half(app, person)
    const challenge = (await full.get('/sign-in/passkey/challenge')).json()
    const crossed = await full.post(path, { _passkey: key.sign(challenge) })
    assert.equal(crossed.statusCode, 422, 'a challenge of the other way in')
    const adding = await signedIn(app, person)
    const asked = await adding.post('/settings/passkeys/new', { current_password: PASSWORD })
    await adding.post('/sign-in', { email: person.email, password: PASSWORD })
    const reused = await adding.post(path, { _passkey: key.sign(optionsIn(asked.body)) })
    assert.equal(reused.statusCode, 422, 'a challenge to add another')
  })

  test('stands beside an app; one that is only being set up signs nobody in', async (t) => {
    const { app, db, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const { key } = await aPasskey(app, person)
    const byKey = await signInWith(await half(app, person), key, {}, '/sign-in/code/passkey')
    const byCode = await (await half(app, person)).post('/sign-in/code', { code: code() })
    for (const { headers } of [byKey, byCode]) assert.equal(headers.location, '/tags')
    await setRows(db, 'second_factors', {}, { confirmed_at: null, made_at: sql`now()` })
    const browser = await half(app, person)
    assert.equal((await browser.post('/sign-in/code', { code: code(1) })).statusCode, 422)
  })
})

test('a passkey signs in to a restored forum, and what admins decided still holds', async (t) => {
  const source = { ...(await testDatabaseWithUrl(t)), dataDir: await aTemporaryFolder(t) }
  const person = await anOwner(source.db)
  const { key } = await aPasskey(await testApp(t, source.db), person)
  await changeSiteSettings(source.db, { staffNeedSecondFactor: true })
  const target = { ...(await newDatabase(t)), dataDir: await aTemporaryFolder(t) }
  await restoreInto(target, await aBackup(source, join(source.dataDir, 'forum.backup')))
  assert.equal((await signInWith(visitor(await testApp(t, target.db)), key)).statusCode, 303)
  assert.ok((await findSiteSettings(target.db)).staffNeedSecondFactor)
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { textOf, valueIn } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'
import { anApp } from '../second-factor/testing.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'
import { Authenticator, type Mischief } from './authenticator-testing.ts'
import { MAX_PASSKEYS } from './passkey.ts'
import { addPasskey, aPasskey, optionsIn, signInWith } from './testing.ts'

const PATH = '/settings/passkeys'
const isSignedIn = async (browser: Browser) => (await browser.get('/settings')).statusCode === 200
const kindsTo = async (db: Database, email: string) => (await lettersTo(db, email)).map(({ kind }) => kind)

suite('passkeys in the settings', () => {
  test('are added with the password; the first brings recovery codes and ends other sessions', async (t) => {
    const { app, db, person } = await aForum(t)
    const elsewhere = await signedIn(app, person)
    const browser = await signedIn(app, person)
    assert.equal((await browser.post(`${PATH}/new`, { current_password: 'no' })).statusCode, 422)
    const codes = await addPasskey(browser, new Authenticator())
    assert.equal(codes.body.match(/<code>[\w-]{29}<\/code>/g)?.length, 8)
    assert.ok(!(await isSignedIn(elsewhere)))
    const second = await addPasskey(browser, new Authenticator(), { name: 'Blue <key>' })
    assert.equal(second.headers.location, '/settings/security#passkeys')
    assert.deepEqual(await kindsTo(db, person.email), ['passkeyAdded', 'passkeyAdded'])
    const page = await browser.get('/settings/security')
    assert.match(textOf(page.body), /My phone Added \d+ \w{3} \d{4}, \d\d:\d\d Not used yet .* Blue <key>/)
    const rows = await db.selectFrom('passkeys').select(['transports', 'counter']).execute()
    assert.deepEqual(rows[0], { transports: ['hybrid', 'internal'], counter: 0 })
    assert.match(textOf((await browser.get('/settings/security')).body), /passkey.* 8 codes left/)
  })

  test('are refused when the browser’s answer is not what was asked for', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const bad: Record<string, Mischief> = {
      'another site': { origin: 'http://localhost:3001' },
      'another host': { rpId: 'example.org' },
      'another challenge': { challenge: Buffer.alloc(32).toString('base64url') },
      'a signature': { type: 'webauthn.get' },
      'nobody there': { isPresent: false },
      'nobody verified': { isVerified: false },
      'certificates, whose addresses would be fetched': { hasCertificates: true },
    }
    for (const [what, mischief] of Object.entries(bad))
      assert.equal((await addPasskey(browser, new Authenticator(), mischief)).statusCode, 422, what)

    const key = new Authenticator()
    const options = optionsIn((await browser.post(`${PATH}/new`, { current_password: PASSWORD })).body)
    const form = { name: 'Mine', _passkey: key.make(options) }
    const other = await signedIn(app, await aPerson(db))
    for (const [name, value] of browser.cookies) if (/challenge/.test(name)) other.cookies.set(name, value)
    assert.equal((await other.post(PATH, form)).statusCode, 422, 'somebody else’s challenge')
    assert.equal((await browser.post(PATH, form)).statusCode, 200)
    assert.equal((await browser.post(PATH, form)).statusCode, 422, 'sent again')
    assert.equal((await addPasskey(browser, key)).statusCode, 422, 'known already')
    assert.equal((await visitor(app).post(PATH, form)).statusCode, 303, 'nobody')
    assert.equal((await db.selectFrom('passkeys').select('id').execute()).length, 1)
  })

  test('want a name, which may be mended without the password, and are twenty at the most', async (t) => {
    const { app, db, person } = await aForum(t)
    const browser = await signedIn(app, person)
    const key = new Authenticator()
    const again = await addPasskey(browser, key, { name: ' ' })
    assert.equal(again.statusCode, 422)
    const _passkey = key.make(optionsIn(again.body))
    assert.equal((await browser.post(PATH, { name: 'Mine', _passkey })).statusCode, 200)
    for (let number = 1; number < MAX_PASSKEYS; number += 1)
      assert.equal((await addPasskey(browser, new Authenticator())).statusCode, 303)
    const more = await addPasskey(browser, new Authenticator())
    assert.equal(more.statusCode, 422)
    assert.equal((await db.selectFrom('passkeys').select('id').execute()).length, MAX_PASSKEYS)
  })

  test('are renamed and removed with the password, each by its owner alone', async (t) => {
    const { app, db, person } = await aForum(t)
    const { browser, key } = await aPasskey(app, person)
    const { id } = await db.selectFrom('passkeys').select('id').executeTakeFirstOrThrow()
    const path = `${PATH}/${id}`
    const other = await signedIn(app, await aPerson(db))
    assert.equal((await other.get(path)).statusCode, 404)
    for (const act of [path, `${path}/delete`]) {
      assert.equal((await other.post(act, { name: 'x' })).statusCode, 404)
      const refused = await browser.post(act, { name: 'Other', current_password: 'no' })
      assert.equal(refused.statusCode, 422)
      assert.equal(valueIn(refused.body, 'name'), act === path ? 'Other' : 'My phone')
    }
    const named = await browser.post(path, { name: 'Old phone', current_password: PASSWORD })
    assert.match(textOf((await browser.follow(named)).body), /Passkey renamed.*Old phone/)
    assert.equal((await browser.post(path, { name: '', current_password: PASSWORD })).statusCode, 422)

    assert.equal((await browser.post(`${path}/delete`, { current_password: PASSWORD })).statusCode, 303)
    assert.deepEqual(await kindsTo(db, person.email), ['passkeyAdded', 'secondFactorOff'])
    assert.equal((await db.selectFrom('recovery_codes').selectAll().execute()).length, 0)
    assert.equal((await signInWith(visitor(app), key)).statusCode, 422)
    const entered = await visitor(app).post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal(entered.headers.location, '/')
  })

  test('keep the recovery codes while an app is there, and the other way round', async (t) => {
    const { app, db, person } = await aForum(t)
    const { browser } = await anApp(app, person)
    const { recoveryCodes } = await aPasskey(app, person)
    assert.deepEqual(recoveryCodes, [], 'there were some')
    const code = { current_password: PASSWORD }
    assert.equal((await browser.post('/settings/second-factor/delete', code)).statusCode, 303)
    assert.equal((await kindsTo(db, person.email)).at(-1), 'factorRemoved')
    assert.equal((await db.selectFrom('recovery_codes').selectAll().execute()).length, 8)
    const made = await browser.post('/settings/second-factor/recovery-codes', code)
    assert.match(made.body, /<code>[\w-]{29}<\/code>/)
  })

  test('of a thief go when the owner takes the account back, the owner’s own stay', async (t) => {
    const { app, db, person } = await aForum(t)
    const own = await aPasskey(app, person)
    const change = { new_email: 'new@example.org', email_password: PASSWORD }
    await own.browser.post('/settings/email', change)
    await own.browser.post('/confirm-email', { token: (await linkTo(db, 'new@example.org')).token })
    const { token } = await linkTo(db, person.email)
    const theirs = await aPasskey(app, person)
    await visitor(app).post('/undo-email-change', { token })
    assert.equal((await signInWith(visitor(app), theirs.key)).statusCode, 422)
    assert.equal((await signInWith(visitor(app), own.key)).statusCode, 303)
  })

  test('are in the data one takes along by name and date, and go with the account', async (t) => {
    const { app, db, person } = await aForum(t)
    const { browser } = await aPasskey(app, person)
    const { passkeys } = (await browser.get('/settings/account/data')).json()
    assert.deepEqual(Object.keys(passkeys[0]).sort(), ['addedAt', 'lastUsedAt', 'name'])
    await browser.post('/settings/account/delete', { posts: 'keep', current_password: PASSWORD })
    for (const table of ['passkeys', 'passkey_holders', 'recovery_codes'] as const)
      assert.equal((await db.selectFrom(table).selectAll().execute()).length, 0, table)
  })
})

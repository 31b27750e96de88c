import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { anApp } from '../second-factor/testing.ts'
import { aForum, anOwner, isSignedIn, PASSWORD } from '../testing.ts'
import { aPasskey, optionsIn, signInWith } from './testing.ts'

suite('a passkey as the second step', () => {
  test('is asked for after the password, and only the same person’s will do', async (t) => {
    const { app, db, person } = await aForum(t)
    const { key, recoveryCodes } = await aPasskey(app, person)
    const theirs = await aPasskey(app, await anOwner(db))
    const browser = await half(person)
    const page = (await browser.get('/sign-in/code')).body
    assert.match(page, /action="\/sign-in\/code\/passkey"/)
    assert.match(page, /Recovery code/)
    const path = '/sign-in/code/passkey'
    const { allowCredentials } = (await browser.get(`${path}/challenge`)).json()
    assert.deepEqual(
      allowCredentials.map(({ id }: { id: string }) => id),
      [key.id.toString('base64url')],
    )
    assert.equal((await signInWith(browser, theirs.key, {}, path)).statusCode, 422)
    assert.ok(!(await isSignedIn(browser)))
    const right = await signInWith(browser, key, { userHandle: null }, path)
    assert.equal(right.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))

    const code = await (await half(person)).post('/sign-in/code', { code: recoveryCodes[0] ?? '' })
    assert.equal(code.headers.location, '/tags')
    const full = await half(person)
    const challenge = (await full.get('/sign-in/passkey/challenge')).json()
    const crossed = await full.post(path, { _passkey: key.sign(challenge) })
    assert.equal(crossed.statusCode, 422, 'a challenge of the other way in')
    const adding = await signedIn(app, person)
    const asked = await adding.post('/settings/passkeys/new', { current_password: PASSWORD })
    await adding.post('/sign-in', { email: person.email, password: PASSWORD })
    const reused = await adding.post(path, { _passkey: key.sign(optionsIn(asked.body)) })
    assert.equal(reused.statusCode, 422, 'a challenge to add another')

    async function half({ email }: { readonly email: string }) {
      const started = visitor(app)
      const answer = await started.post('/sign-in', { email, password: PASSWORD, next: '/tags' })
      assert.equal(answer.headers.location, '/sign-in/code')
      return started
    }
  })

  test('stands beside an app; one that is only being set up signs nobody in', async (t) => {
    const { app, db, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const { key } = await aPasskey(app, person)
    for (const way of ['passkey', 'code']) {
      const browser = visitor(app)
      await browser.post('/sign-in', { email: person.email, password: PASSWORD, next: '/tags' })
      const entered =
        way === 'code'
          ? await browser.post('/sign-in/code', { code: code() })
          : await signInWith(browser, key, {}, '/sign-in/code/passkey')
      assert.equal(entered.headers.location, '/tags', way)
    }
    await db.updateTable('second_factors').set({ confirmed_at: null, made_at: sql`now()` }).execute()
    const browser = visitor(app)
    await browser.post('/sign-in', { email: person.email, password: PASSWORD })
    assert.equal((await browser.post('/sign-in/code', { code: code(1) })).statusCode, 422)
  })
})

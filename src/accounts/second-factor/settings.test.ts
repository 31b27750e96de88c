import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../testing.ts'
import { RECOVERY_CODES } from './second-factor.ts'
import { anApp, secretOf } from './testing.ts'
import { codeAt } from './totp.ts'

const isSignedIn = async (browser: Browser) => (await browser.get('/settings')).statusCode === 200

suite('a second factor in the settings', () => {
  test('is set up with the password and a code, ends other sessions and tells the owner', async (t) => {
    const { app, db, person } = await aForum(t)
    const elsewhere = await signedIn(app, person)
    const browser = await signedIn(app, person)
    assert.equal((await browser.post('/settings/second-factor')).statusCode, 422)
    assert.equal((await browser.post('/settings/second-factor/confirmation', { code: '1' })).statusCode, 303)
    const begun = await browser.post('/settings/second-factor', { current_password: PASSWORD })
    const page = await browser.follow(begun)
    assert.match(page.body, /<svg class="qr-code"[^>]*>\s*<path d="M\d/)
    assert.match(page.body, /href="otpauth:\/\/totp\/Handup/)
    const wrong = await browser.post('/settings/second-factor/confirmation', { code: 'no' })
    assert.equal(wrong.statusCode, 422)
    assert.equal(
      (await visitor(app).post('/sign-in', signIn(person))).headers.location,
      '/',
      'not asked for yet',
    )

    const code = codeAt(await secretOf(app, person))
    const codes = await browser.post('/settings/second-factor/confirmation', { code })
    assert.equal(codes.body.match(/<code>[\w-]{29}<\/code>/g)?.length, RECOVERY_CODES)
    assert.match(String(codes.headers['cache-control']), /no-store/)
    assert.ok(await isSignedIn(browser))
    assert.ok(!(await isSignedIn(elsewhere)))
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'secondFactorOn')
    assert.match(textOf((await browser.get('/settings/security')).body), /On\..* 8 codes left/)
  })

  test('is turned off, and gets new recovery codes, with the password alone', async (t) => {
    const { app, db, person } = await aForum(t)
    const { browser, recoveryCodes } = await anApp(app, person)
    for (const act of ['recovery-codes', 'delete'])
      assert.equal((await browser.post(`/settings/second-factor/${act}`)).statusCode, 422)
    const made = await browser.post('/settings/second-factor/recovery-codes', { current_password: PASSWORD })
    assert.match(made.body, /<code>[\w-]{29}<\/code>/)
    const half = visitor(app)
    await half.post('/sign-in', signIn(person))
    assert.equal((await half.post('/sign-in/code', { code: recoveryCodes[0] ?? '' })).statusCode, 422)

    await browser.post('/settings/second-factor/delete', { current_password: PASSWORD })
    assert.equal((await visitor(app).post('/sign-in', signIn(person))).headers.location, '/')
    assert.equal((await lettersTo(db, person.email)).at(-1)?.kind, 'secondFactorOff')
    assert.equal((await db.selectFrom('recovery_codes').selectAll().execute()).length, 0)
  })

  test('of a thief goes when the owner takes the account back, the owner’s own stays', async (t) => {
    const { app, db, person } = await aForum(t)
    const { password_hash } = await db.selectFrom('people').select('password_hash').executeTakeFirstOrThrow()
    for (const isTheirs of [true, false]) {
      await db.deleteFrom('second_factors').execute()
      const thief = isTheirs ? await signedIn(app, person) : (await anApp(app, person)).browser
      await thief.post('/settings/email', {
        new_email: `new-${isTheirs}@example.org`,
        email_password: PASSWORD,
      })
      await thief.post('/confirm-email', { token: (await linkTo(db, `new-${isTheirs}@example.org`)).token })
      const { token } = await linkTo(db, person.email)
      if (isTheirs) await anApp(app, person)
      await visitor(app).post('/undo-email-change', { token })
      const left = await db.selectFrom('second_factors').selectAll().execute()
      assert.equal(left.length, isTheirs ? 0 : 1)
      await db.updateTable('people').set({ password_hash }).where('id', '=', person.id).execute()
    }
  })
})

function signIn({ email }: { readonly email: string }) {
  return { email, password: PASSWORD }
}

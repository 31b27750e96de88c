import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { GUESSES } from '../accounts/guesses.ts'
import { makeSignInLink } from '../accounts/links.ts'
import { aForum, lettersTo, linkTo, PASSWORD } from '../accounts/testing.ts'
import { type Browser, signedIn, visitor } from '../testing/browser.ts'
import { textOf } from '../testing/page.ts'
import { sweepHalfSignIns } from './half-sign-ins.ts'
import { RECOVERY_CODES } from './recovery-codes.ts'
import { anApp, secretOf } from './testing.ts'
import { appSetUp, codeAt, stepOf } from './totp.ts'

const isSignedIn = async (browser: Browser) => (await browser.get('/settings')).statusCode === 200

suite('a second factor', () => {
  test('is set up with the password and a code, ends other sessions and tells the owner', async (t) => {
    const { app, db, person } = await aForum(t)
    const elsewhere = await signedIn(app, person)
    const browser = await signedIn(app, person)
    assert.equal((await browser.post('/settings/second-factor')).statusCode, 422)
    assert.equal((await browser.post('/settings/second-factor/confirmation', { code: '1' })).statusCode, 303)
    const begun = await browser.post('/settings/second-factor', { current_password: PASSWORD })
    const page = await browser.follow(begun)
    assert.match(page.body, /<svg class="qr-code"[^>]*><path d="M\d/)
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
    assert.match(textOf((await browser.get('/settings/second-factor')).body), /It is on.* 8 are left/)
  })

  test('is asked for after the password, and nobody is signed in before it', async (t) => {
    const { app, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const browser = visitor(app)
    const half = await browser.post('/sign-in', { ...signIn(person), next: '/tags' })
    assert.equal(half.headers.location, '/sign-in/code')
    assert.ok(!(await isSignedIn(browser)))
    const wrong = await browser.post('/sign-in/code', { code: '000000' })
    assert.equal(wrong.statusCode, 422)
    assert.doesNotMatch(wrong.body, /000000/)
    const right = await browser.post('/sign-in/code', { code: ` ${code().slice(0, 3)} ${code().slice(3)}` })
    assert.equal(right.headers.location, '/tags')
    assert.ok(await isSignedIn(browser))
    assert.equal((await browser.get('/sign-in/code')).headers.location, '/sign-in', 'the step is over')
  })

  test('takes each code once, however many send it at the same moment', async (t) => {
    const { app, person } = await aForum(t)
    const { code, recoveryCodes } = await anApp(app, person)
    for (const once of [code(), recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ') ?? '']) {
      const browsers = await Promise.all([1, 2, 3].map(() => halfIn(person)))
      const answers = await Promise.all(
        browsers.map((browser) => browser.post('/sign-in/code', { code: once })),
      )
      assert.equal(answers.filter(({ statusCode }) => statusCode === 303).length, 1, once)
      const again = await (await halfIn(person)).post('/sign-in/code', { code: once })
      assert.equal(again.statusCode, 422)
    }

    async function halfIn(who: { email: string }) {
      const browser = visitor(app)
      await browser.post('/sign-in', signIn(who))
      return browser
    }
  })

  test('is not skipped by a sign-in link, a sign-up with one’s password, or a new password', async (t) => {
    const { app, db, person } = await aForum(t)
    await anApp(app, person)
    const token = new URL(await makeSignInLink(db, person.id, 'http://localhost:3000')).searchParams.get(
      'token',
    )
    const ways = [
      await visitor(app).post('/sign-in/link', { token: token ?? '' }),
      await visitor(app).post('/sign-up', { ...signIn(person), display_name: 'x' }),
    ]
    for (const way of ways) assert.equal(way.headers.location, '/sign-in/code')
    await visitor(app).post('/forgotten-password', { email: person.email })
    const password = 'a row of seven green bottles'
    const browser = visitor(app)
    await browser.post('/new-password', { token: (await linkTo(db, person.email)).token, password })
    assert.ok(!(await isSignedIn(browser)))
    const half = await browser.post('/sign-in', { email: person.email, password })
    assert.equal(half.headers.location, '/sign-in/code')
  })

  test('lets codes be guessed five times a password, and ten times in all', async (t) => {
    const { app, person } = await aForum(t)
    const { code } = await anApp(app, person)
    const browser = visitor(app)
    for (let round = 0; round < GUESSES.max / 5; round += 1) {
      await browser.post('/sign-in', signIn(person))
      const token = await browser.token('/sign-in/code')
      const tries = await Promise.all(
        Array.from({ length: 5 }, () => browser.post('/sign-in/code', { code: '12345x' }, { token })),
      )
      for (const wrong of tries) assert.equal(wrong.statusCode, 422)
      assert.equal((await browser.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    }
    await browser.post('/sign-in', signIn(person))
    const limited = await browser.post('/sign-in/code', { code: code() })
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
  })

  test('waits ten minutes for the code, and not beyond a change of the password', async (t) => {
    const { app, db, person } = await aForum(t)
    const { code, browser: owner } = await anApp(app, person)
    const [slow, overtaken] = [visitor(app), visitor(app)]
    await slow.post('/sign-in', signIn(person))
    await db.updateTable('half_sign_ins').set({ begun_at: sql`now() - interval '601 seconds'` }).execute()
    assert.equal((await slow.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    assert.equal(await sweepHalfSignIns(db), 1)
    await overtaken.post('/sign-in', signIn(person))
    const password = 'a row of seven green bottles'
    await owner.post('/settings/password', { current_password: PASSWORD, password })
    assert.equal((await overtaken.post('/sign-in/code', { code: code() })).headers.location, '/sign-in')
    for (const token of ['', 'made-up'])
      assert.equal((await visitor(app).post('/sign-in/code', { code: token })).statusCode, 303)
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

test('codes are those of RFC 6238, and a clock may be half a minute off', () => {
  const secret = Buffer.from('12345678901234567890')
  assert.equal(codeAt(secret, 59_000), '287082')
  assert.equal(codeAt(secret, 1_111_111_109_000), '081804')
  assert.equal(stepOf(secret, '287082', 59_000), 1)
  assert.equal(stepOf(secret, '287082', 89_000), 1)
  assert.equal(stepOf(secret, '287082', 20_000), 1)
  assert.equal(stepOf(secret, '287082', 121_000), null)
  const setUp = appSetUp(secret, 'mina@example.org', 'Handup forum.example')
  assert.equal(setUp.secret, 'GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ')
  assert.match(setUp.address, /secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ/)
})

function signIn({ email }: { readonly email: string }) {
  return { email, password: PASSWORD }
}

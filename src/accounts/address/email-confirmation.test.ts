import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { visitor } from '../../testing/browser.ts'
import { textOf } from '../../testing/page.ts'
import { aForum, lettersTo, linkTo } from '../testing.ts'

const MINA = { display_name: 'Mina Kim', email: 'mina@example.org', password: 'six blue doors in a row' }

suite('confirming one’s address', () => {
  test('is asked for after signing up, while the account works at once', async (t) => {
    const { app, db } = await aForum(t)
    const browser = visitor(app)
    await browser.post('/sign-up', MINA)
    assert.match(textOf((await browser.get('/settings')).body), /mina@example\.org Not confirmed/)
    const { path, token } = await linkTo(db, MINA.email)

    const stranger = visitor(app)
    assert.match((await stranger.get(path)).body, /mina@example\.org/)
    assert.match(textOf((await browser.get('/settings')).body), /Not confirmed/)
    const answer = await stranger.post(
      '/confirm-email',
      { token, account_password: MINA.password },
      { page: path },
    )
    assert.equal(answer.headers.location, '/sign-in')
    assert.match(textOf((await browser.get('/settings')).body), /mina@example\.org Confirmed/)
    for (const dead of [token, 'made-up', '']) {
      assert.equal((await stranger.get(`/confirm-email?token=${dead}`)).statusCode, 410)
      assert.equal((await stranger.post('/confirm-email', { token: dead })).statusCode, 410)
    }
  })

  test('can be asked for again, five times an hour', async (t) => {
    const { app, db } = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const browser = visitor(app)
    await browser.post('/sign-up', MINA)
    assert.match((await browser.get('/settings')).body, /action="\/settings\/email\/confirmation"/)
    for (let sent = 1; sent < 5; sent += 1) {
      const answer = await browser.post('/settings/email/confirmation')
      assert.equal(answer.headers.location, '/settings#email')
    }
    const limited = await browser.post('/settings/email/confirmation')
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
    assert.equal((await lettersTo(db, MINA.email)).length, 5)

    await browser.post('/confirm-email', { token: (await linkTo(db, MINA.email)).token })
    assert.doesNotMatch((await browser.get('/settings')).body, /settings\/email\/confirmation/)
    await browser.post('/settings/email/confirmation')
    assert.equal((await lettersTo(db, MINA.email)).length, 5, 'a confirmed address needs no link')
    assert.equal((await visitor(app).post('/settings/email/confirmation')).statusCode, 303)
  })

  test('is not done by a link sent to another address', async (t) => {
    const { app, db } = await aForum(t)
    await visitor(app).post('/sign-up', MINA)
    const { token } = await linkTo(db, MINA.email)
    await db
      .updateTable('people')
      .set({ email: 'other@example.org' })
      .where('email', '=', MINA.email)
      .execute()
    assert.equal((await visitor(app).post('/confirm-email', { token })).statusCode, 410)
    const row = await db
      .selectFrom('people')
      .select('email_confirmed_at')
      .where('email', '=', 'other@example.org')
      .executeTakeFirstOrThrow()
    assert.equal(row.email_confirmed_at, null)
  })
})

suite('signing up with an address that has an account', () => {
  test('tells its owner, once a day', async (t) => {
    const { app, db, person } = await aForum(t)
    for (let tries = 0; tries < 3; tries += 1)
      await visitor(app).post('/sign-up', { ...MINA, email: person.email })
    assert.deepEqual(
      (await lettersTo(db, person.email)).map(({ kind }) => kind),
      ['addressTaken'],
    )
  })
})

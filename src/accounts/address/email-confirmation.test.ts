import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aPerson } from '../../testing/builders.ts'
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

suite('the request to confirm one’s address', () => {
  const TO_HEAR = /To get answers by email, open the link we sent to mina@example\.org\./
  const ask = (browser: ReturnType<typeof visitor>, slug: string) =>
    browser.post('/questions', { course: slug, title: 'Why is it?', body: 'It is.' })

  test('comes after signing up and after the first question, with a button that sends the link again', async (t) => {
    const { app, db } = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const { slug } = await aCourse(db)
    const browser = visitor(app)
    const signedUp = await browser.post('/sign-up', { ...MINA, next: `/courses/${slug}` })
    assert.equal(signedUp.headers.location, `/courses/${slug}`)
    const welcome = (await browser.get(`/courses/${slug}`)).body
    assert.match(textOf(welcome), TO_HEAR)
    assert.match(
      welcome,
      /action="\/settings\/email\/confirmation"[\s\S]*?name="next" value="\/courses\/[\s\S]*?Send again/,
    )
    assert.doesNotMatch(textOf((await browser.get(`/courses/${slug}`)).body), TO_HEAR, 'once')

    const question = String((await ask(browser, slug)).headers.location)
    assert.match(textOf((await browser.get(question)).body), TO_HEAR)
    const again = await browser.post('/settings/email/confirmation', { next: question })
    assert.equal(again.headers.location, question)
    assert.match(textOf((await browser.get(question)).body), /Confirmation email sent/)
    assert.equal((await lettersTo(db, MINA.email)).length, 2)
    await browser.get(String((await ask(browser, slug)).headers.location))
    assert.doesNotMatch(textOf((await browser.get(question)).body), TO_HEAR, 'after the first alone')
    const away = await browser.post('/settings/email/confirmation', { next: '//elsewhere.example' })
    assert.equal(away.headers.location, '/')
  })

  test('leads back to where one was: to the page one signed up on, then to the first question', async (t) => {
    const { app, db } = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const { slug } = await aCourse(db)
    const [atCourse, atQuestion, elsewhere] = [visitor(app), visitor(app), visitor(app)]
    await atCourse.post('/sign-up', { ...MINA, next: `/courses/${slug}` })
    const { token } = await linkTo(db, MINA.email)
    const confirmed = await atCourse.post('/confirm-email', { token })
    assert.equal(confirmed.headers.location, `/courses/${slug}`)
    assert.match(textOf((await atCourse.get(`/courses/${slug}`)).body), /Your email address is confirmed/)
    await atCourse.get(String((await ask(atCourse, slug)).headers.location))

    for (const [email, opener] of [
      ['joon@example.org', atQuestion],
      ['sora@example.org', elsewhere],
    ] as const) {
      const asker = opener === elsewhere ? visitor(app) : opener
      await asker.post('/sign-up', { ...MINA, email })
      const question = String((await ask(asker, slug)).headers.location)
      const link = await linkTo(db, email)
      const fields = { token: link.token, ...(opener === elsewhere && { account_password: MINA.password }) }
      const { location } = (await opener.post('/confirm-email', fields, { page: link.path })).headers
      const path = opener === elsewhere ? `/sign-in?next=${encodeURIComponent(question)}` : question
      assert.equal(location, path)
    }
  })

  test('does not come where no mail leaves, nor once the address is confirmed', async (t) => {
    const { app, db } = await aForum(t)
    const { slug } = await aCourse(db)
    const browser = visitor(app)
    await browser.post('/sign-up', { ...MINA, next: `/courses/${slug}` })
    assert.doesNotMatch((await browser.get(`/courses/${slug}`)).body, /To get answers|email\/confirmation/)
    const question = String((await ask(browser, slug)).headers.location)
    assert.doesNotMatch((await browser.get(question)).body, /To get answers|email\/confirmation/)

    const sending = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const course = await aCourse(sending.db)
    const confirmed = await signedIn(sending.app, await aPerson(sending.db, { email: 'a@example.org' }))
    const asked = String((await ask(confirmed, course.slug)).headers.location)
    assert.match(textOf((await confirmed.get(asked)).body), /Question posted/)
    assert.doesNotMatch((await confirmed.get(asked)).body, /To get answers/)
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

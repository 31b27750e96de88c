import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { markupMistakes } from '../../testing/markup.ts'
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

  test('comes back on lists after a week, and says at once that a role waits, until the address is confirmed', async (t) => {
    const { app, db } = await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' })
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const hidden = await aCourse(db, { isPublic: false })
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const browser = visitor(app)
    await browser.post('/sign-up', MINA)
    const said = async (path: string) => textOf((await browser.get(path)).body)
    const [path, elsewhere] = [`/courses/${course.slug}`, `/courses/${other.slug}`]
    await said('/')
    for (const list of ['/questions', path]) assert.doesNotMatch(await said(list), /mina@example\.org/)

    await staff.follow(await staff.post(`${path}/members`, { email: MINA.email, role: 'assistant' }))
    assert.match(await said(path), /gave mina@example\.org a role in this course.*Send link again/)
    for (const list of ['/questions', elsewhere]) assert.doesNotMatch(await said(list), /mina@example\.org/)
    for (const none of [`/courses/${hidden.slug}`, '/courses/none'])
      assert.match(await said(none), /Invited to a course\?.*mina@example\.org/)
    assert.doesNotMatch(await said('/questions/99999'), /mina@example\.org/)
    assert.doesNotMatch(textOf((await staff.get('/courses/none')).body), /@/)

    await db
      .updateTable('people')
      .set({ joined_at: sql<Date>`now() - interval '8 days'` })
      .where('email', '=', MINA.email)
      .execute()
    for (const list of ['/questions', elsewhere])
      assert.match(await said(list), /Confirm mina@example\.org to get answers by email\. Send link again/)
    const sent = await browser.post('/settings/email/confirmation', { next: path })
    assert.equal(sent.headers.location, path)
    await browser.post('/confirm-email', { token: (await linkTo(db, MINA.email)).token })
    for (const list of ['/questions', path, '/courses/none', elsewhere])
      assert.doesNotMatch(await said(list), /mina@example\.org/)
  })

  test('has a button among the settings of emails; where none are sent nothing is promised there, nor elsewhere', async (t) => {
    const [sending, silent] = [await aForum(t, { smtpUrl: 'smtp://127.0.0.1:1' }), await aForum(t)]
    const settings = '/settings/notifications'
    const button =
      /action="\/settings\/email\/confirmation"[\s\S]*?name="next" value="\/settings\/notifications"/
    const browser = visitor(sending.app)
    await browser.post('/sign-up', MINA)
    const { body } = await browser.get(settings)
    assert.match(textOf(body), /Confirm mina@example\.org to get emails\. Send link again/)
    assert.match(body, button)
    assert.deepEqual(await markupMistakes(body), [])

    const { app, db } = silent
    const course = await aCourse(db)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const reader = visitor(app)
    await reader.post('/sign-up', { ...MINA, next: '/settings' })
    await reader.get('/settings')
    assert.match(textOf((await reader.get(settings)).body), /doesn’t send email yet/)
    await staff.post(`/courses/${course.slug}/members`, { email: MINA.email, role: 'assistant' })
    const question = await aQuestion(db, { course })
    const pages = {
      [settings]: /doesn’t send email yet/,
      [`/courses/${course.slug}`]: /gave mina@example\.org a role in this course\. Ask the forum’s admin/,
      '/confirm-email?token=none': /Ask its admin for a link/,
      '/settings': /ask its admin for your link/,
      '/forgotten-password': /doesn’t send email/,
    }
    for (const [path, says] of Object.entries(pages)) {
      const page = (await reader.get(path)).body
      assert.match(textOf(page), says, path)
      assert.doesNotMatch(page, /settings\/email\/confirmation/, path)
      assert.doesNotMatch(
        textOf(page),
        /[Ss]end (link )?again|in your inbox|We email|we emailed|we sent|Email me a link/,
        path,
      )
    }
    const report = textOf((await visitor(app).get(`/questions/${question.id}/reports`)).body)
    assert.match(report, /doesn’t send email, so you won’t be told/)
    const changed = { new_email: 'new@example.org', email_password: MINA.password }
    assert.match(
      textOf((await reader.follow(await reader.post('/settings/email', changed))).body),
      /ask its admin/,
    )
    const kept = await reader.follow(await reader.post('/settings/email/confirmation'))
    assert.match(textOf(kept.body), /Ask its admin for a link that confirms/)
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

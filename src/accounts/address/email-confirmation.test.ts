import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { act, refusalOf } from '../../testing/act.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../../testing/builders.ts'
import { sharedForum, type TestForum } from '../../testing/forum.ts'
import { markupMistakes } from '../../testing/markup.ts'
import { textOf } from '../../testing/page.ts'
import { rowOf, setRows } from '../../testing/rows.ts'
import { DeadLink } from '../identity/mail-links.ts'
import {
  aForum,
  anOwner,
  inSession,
  isSignedIn,
  lettersTo,
  linkTo,
  mailToken,
  PASSWORD,
  tokenIn,
  waysInto,
} from '../testing.ts'
import { confirmationSending } from './email-confirmation.ts'
import { confirm } from './testing.ts'

const MINA = { display_name: 'Mina Kim', email: 'mina@example.org', password: 'six blue doors in a row' }
const PROMISES = /[Ss]end (link )?again|in your inbox|We email|we emailed|we sent|Email me a link/
const SENDING = { smtpUrl: 'smtp://127.0.0.1:1' }

suite('confirming one’s address', () => {
  const forum = sharedForum()

  test('shows its page, and happens with the account’s password, which is not guessed there', async () => {
    const { app, db } = forum
    const owner = await anOwner(db, { isConfirmed: false })
    const token = await mailToken(db, owner, 'confirm-email')
    const settings = async () => textOf((await (await signedIn(app, owner)).get('/settings')).body)
    const browser = visitor(app)
    assert.ok((await browser.get(`/confirm-email?token=${token}`)).body.includes(owner.email))
    for (const account_password of ['', 'wrong']) {
      const refused = await browser.post('/confirm-email', { token, as: 'holder', account_password })
      assert.equal(refused.statusCode, 422)
      assert.match(refused.body, /href="#account_password"/)
    }
    assert.match(await settings(), new RegExp(`${owner.email} Not confirmed`))
    const answer = await browser.post('/confirm-email', { token, account_password: PASSWORD })
    assert.equal(answer.headers.location, '/sign-in')
    assert.match(await settings(), new RegExp(`${owner.email} Confirmed`))
  })

  test('leads who has the mailbox alone to a new password', async () => {
    const { app, db } = forum
    const owner = await anOwner(db, { isConfirmed: false })
    const session = await signedIn(app, owner)
    const token = await mailToken(db, owner, 'confirm-email')
    const { headers } = await visitor(app).post('/confirm-email', { token })
    assert.match(String(headers.location), /^\/new-password\?/)
    assert.equal((await visitor(app).get(`/new-password?token=${tokenIn(headers.location)}`)).statusCode, 200)
    assert.ok(!(await isSignedIn(session)))
  })

  test('can be asked for five times an hour, until it is done', async () => {
    const { db } = forum
    const owner = await anOwner(db, { isConfirmed: false })
    const own = { ...(await inSession(db, owner)), input: { next: '/' } }
    for (let sent = 0; sent < 5; sent += 1) await act(forum, confirmationSending, own)
    assert.equal(await refusalOf(forum, confirmationSending, own), 'tooOften')
    await confirm(db, (await linkTo(db, owner.email)).token)
    assert.equal(await refusalOf(forum, confirmationSending, own), 'done')
    assert.equal((await lettersTo(db, owner.email)).length, 5, 'a confirmed address needs no link')
  })

  test('is not done by a link sent to another address', async () => {
    const { db } = forum
    const owner = await anOwner(db, { isConfirmed: false })
    const token = await mailToken(db, { ...owner, email: 'other@example.org' }, 'confirm-email')
    for (const isHolder of [true, false]) await assert.rejects(confirm(db, token, isHolder), DeadLink)
    assert.equal((await waysInto(db, owner)).sessions, 0)
    assert.equal((await rowOf(db, 'people', owner.id)).email_confirmed_at, null)
  })
})

suite('the request to confirm one’s address', () => {
  const forum = sharedForum(SENDING)
  const [toHear, button] = [/To get answers by email, open the link we sent/, '/settings/email/confirmation']
  let signedUp = 0

  /** Somebody who has just signed up. */
  async function aNewcomer(next = '/', { app }: Pick<TestForum, 'app'> = forum) {
    signedUp += 1
    const [browser, email] = [visitor(app), `mina-${signedUp}@example.org`]
    const { headers } = await browser.post('/sign-up', { ...MINA, email, next })
    assert.equal(headers.location, next)
    const said = async (path: string) => textOf((await browser.get(path)).body)
    const link = () => linkTo(app.db, email)
    return { browser, email, said, link }
  }

  async function ask(browser: Browser, slug: string): Promise<string> {
    const fields = { course: slug, title: 'Why is it?', body: 'It is.' }
    return String((await browser.post('/questions', fields)).headers.location)
  }

  test('comes after signing up and after the first question, with a button that sends the link again', async () => {
    const { slug } = await aCourse(forum.db)
    const page = `/courses/${slug}`
    const { browser, email, said } = await aNewcomer(page)
    const welcome = (await browser.get(page)).body
    assert.match(textOf(welcome), toHear)
    assert.match(welcome, new RegExp(`action="${button}"[\\s\\S]*?value="/courses/[\\s\\S]*?Send again`))
    assert.doesNotMatch(await said(page), toHear, 'once')

    const question = await ask(browser, slug)
    assert.match(await said(question), toHear)
    assert.equal((await browser.post(button, { next: question })).headers.location, question)
    assert.match(await said(question), /Confirmation email sent/)
    assert.equal((await lettersTo(forum.db, email)).length, 2)
    await browser.get(await ask(browser, slug))
    assert.doesNotMatch(await said(question), toHear, 'after the first alone')
    assert.equal((await browser.post(button, { next: '//elsewhere.example' })).headers.location, '/')

    const confirmed = await signedIn(forum.app, await aPerson(forum.db))
    const asked = textOf((await confirmed.get(await ask(confirmed, slug))).body)
    assert.match(asked, /Question posted/)
    assert.doesNotMatch(asked, /To get answers/, 'not to somebody confirmed')
  })

  test('leads back to where one was: to the page one signed up on, then to the first question', async () => {
    const { slug } = await aCourse(forum.db)
    const atCourse = await aNewcomer(`/courses/${slug}`)
    const confirmed = await atCourse.browser.post('/confirm-email', { token: (await atCourse.link()).token })
    assert.equal(confirmed.headers.location, `/courses/${slug}`)
    assert.match(await atCourse.said(`/courses/${slug}`), /Your email address is confirmed/)

    for (const isElsewhere of [false, true]) {
      const { browser, link } = await aNewcomer()
      const question = await ask(browser, slug)
      const fields = { token: (await link()).token, account_password: MINA.password }
      const opener = isElsewhere ? visitor(forum.app) : browser
      const { location } = (await opener.post('/confirm-email', fields)).headers
      assert.equal(location, isElsewhere ? `/sign-in?next=${encodeURIComponent(question)}` : question)
    }
  })

  test('comes back on lists after a week, and says at once that a role waits, until the address is confirmed', async () => {
    const { app, db } = forum
    const [course, other] = [await aCourse(db), await aCourse(db)]
    const hidden = await aCourse(db, { isPublic: false })
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const { browser, email, said, link } = await aNewcomer()
    const [path, elsewhere] = [`/courses/${course.slug}`, `/courses/${other.slug}`]
    await said('/')
    for (const list of ['/questions', path]) assert.ok(!(await said(list)).includes(email))

    await staff.follow(await staff.post(`${path}/members`, { email, role: 'assistant' }))
    assert.match(await said(path), new RegExp(`gave ${email} a role in this course.*Send link again`))
    for (const list of ['/questions', elsewhere]) assert.ok(!(await said(list)).includes(email))
    for (const none of [`/courses/${hidden.slug}`, '/courses/none'])
      assert.match(await said(none), new RegExp(`Invited to a course\\?.*${email}`))
    assert.ok(!(await said('/questions/99999')).includes(email))
    assert.doesNotMatch(textOf((await staff.get('/courses/none')).body), /@/)

    await setRows(db, 'people', { email }, { joined_at: sql`now() - interval '8 days'` })
    for (const list of ['/questions', elsewhere])
      assert.match(await said(list), new RegExp(`Confirm ${email} to get answers by email. Send link again`))
    await browser.post('/confirm-email', { token: (await link()).token })
    for (const list of ['/questions', path, '/courses/none', elsewhere])
      assert.ok(!(await said(list)).includes(email))
  })

  test('has a button among the settings of emails', async () => {
    const { browser, email } = await aNewcomer()
    const { body } = await browser.get('/settings/notifications')
    assert.match(textOf(body), new RegExp(`Confirm ${email} to get emails. Send link again`))
    assert.match(body, new RegExp(`action="${button}"[\\s\\S]*?value="/settings/notifications"`))
    assert.deepEqual(await markupMistakes(body), [])
    assert.match((await browser.get('/settings')).body, new RegExp(`action="${button}"`))
  })

  test('promises nothing where no emails are sent, there or elsewhere', async (t) => {
    const silent = await aForum(t)
    const { app, db } = silent
    const course = await aCourse(db)
    const staff = await signedIn(app, await aMember(db, course, 'instructor'))
    const { browser, email } = await aNewcomer('/settings', silent)
    await browser.get('/settings')
    const asked = await browser.get(await ask(browser, course.slug))
    assert.doesNotMatch(asked.body, /To get answers|email\/confirmation/)
    assert.match(textOf((await browser.get('/settings/notifications')).body), /doesn’t send email yet/)
    await staff.post(`/courses/${course.slug}/members`, { email, role: 'assistant' })
    const pages = {
      '/settings/notifications': /doesn’t send email yet/,
      [`/courses/${course.slug}`]: /gave mina-\d+@example\.org a role in this course\. Ask the forum’s admin/,
      '/confirm-email?token=none': /Ask its admin for a link/,
      '/settings': /ask its admin for your link/,
      '/forgotten-password': /doesn’t send email/,
    }
    for (const [path, says] of Object.entries(pages)) {
      const page = (await browser.get(path)).body
      assert.match(textOf(page), says, path)
      assert.doesNotMatch(page, /settings\/email\/confirmation/, path)
      assert.doesNotMatch(textOf(page), PROMISES, path)
    }
    const question = await aQuestion(db, { course })
    const report = textOf((await visitor(app).get(`/questions/${question.id}/reports`)).body)
    assert.match(report, /doesn’t send email, so you won’t be told/)
    const changed = { new_email: 'new@example.org', email_password: MINA.password }
    const change = await browser.follow(await browser.post('/settings/email', changed))
    assert.match(textOf(change.body), /ask its admin/)
    const kept = await browser.follow(await browser.post(button))
    assert.match(textOf(kept.body), /Ask its admin for a link that confirms/)
  })
})

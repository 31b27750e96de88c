import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MAILS_PER_PAGE } from '../../mail/outbox.ts'
import { someMail } from '../../mail/testing.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse } from '../../testing/courses.ts'
import { sharedForum } from '../../testing/forum.ts'
import { textOf } from '../../testing/page.ts'
import { aPerson } from '../../testing/people.ts'

suite('the page of the mail, without a mail server', () => {
  const forum = sharedForum()

  test('shows an admin what each mail says, newest first, page by page', async () => {
    const { app, db } = forum
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.match(textOf((await admin.get('/mail')).body), /No emails/)
    for (let made = 0; made <= MAILS_PER_PAGE; made += 1)
      await someMail(db, { subject: `Number ${made} <b>`, paragraphs: [`Text ${made} <script>`] })
    const page = await admin.get('/mail')
    assert.match(page.body, new RegExp(`Number ${MAILS_PER_PAGE} &lt;b&gt;`))
    assert.match(page.body, /Text 1 &lt;script&gt;/)
    assert.doesNotMatch(page.body, /Number 0 /)
    const older = /href="(\/mail\?after=[^"]+)"/.exec(page.body)?.[1] ?? ''
    assert.match((await admin.get(older)).body, /Number 0 /)
  })

  test('has the link to a new password, and who forgot theirs is told to ask for it', async () => {
    const { app, db } = forum
    const { email } = await aPerson(db)
    const browser = visitor(app)
    const asked = await browser.post('/forgotten-password', { email })
    assert.match(textOf((await browser.follow(asked)).body), /the forum’s admin now has a link for you/)
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.match((await admin.get('/mail')).body, /\/new-password\?token=[\w-]+/)
  })

  test('tells times in the zone of the courses, as their questions do', async () => {
    const { app, db } = forum
    for (const timeZone of ['Asia/Seoul', 'Asia/Seoul', 'Asia/Tokyo']) await aCourse(db, { timeZone })
    const { slug } = await aCourse(db, { timeZone: 'Europe/Ljubljana' })
    await someMail(db, {})
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    assert.match((await admin.get('/mail')).body, /title="[\w ,:]+ Asia\/Seoul"/)
    assert.match((await admin.get(`/mail?course=${slug}`)).body, /title="[\w ,:]+ Europe\/Ljubljana"/)
  })
})

suite('the page of the mail, with a mail server', () => {
  const forum = sharedForum({ smtpUrl: 'smtp://127.0.0.1:1' })

  test('shows what became of each, not what it says, and sends it again', async () => {
    const { app, db } = forum
    const admin = await signedIn(app, await aPerson(db, { isAdmin: true }))
    await someMail(db, { paragraphs: ['secret link'] })
    const failed = { last_error: 'connect ECONNREFUSED', tries: 3, give_up_at: new Date(0) }
    const { key: id } = await db.updateTable('jobs').set(failed).returning('key').executeTakeFirstOrThrow()
    const page = await admin.get('/mail')
    assert.match(textOf(page.body), /Not delivered 3 attempts connect ECONNREFUSED Send again/)
    assert.doesNotMatch(page.body, /secret link/)

    const answer = await admin.post(`/mail/${id}/sending`)
    assert.equal(answer.headers.location, '/mail')
    assert.match(textOf((await admin.follow(answer)).body), /Sending again\..*Waiting/)
    assert.equal((await admin.post('/mail/999999/sending')).statusCode, 404)
  })
})

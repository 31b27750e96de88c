import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { SECRET, testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { valueIn } from '../../testing/page.ts'
import { passTime } from '../../testing/pass-time.ts'
import { anAnnouncement, deleteAnswer } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { giveRole, leaveCourse } from '../courses/roles.ts'
import { setFollowing, setPlaceFollowing } from '../follows/following.ts'
import { hidePost } from '../posts/removal.ts'
import { markAllSeen } from '../telling/read.ts'
import { mailDue } from './notifier.ts'

const OPTIONS = {
  baseUrl: 'http://localhost:3000',
  secret: SECRET,
  soonSeconds: 0,
  isSent: false,
  replyAddress: null,
}
const FAILS = {
  error: (...given: unknown[]) =>
    assert.fail(String(given[0] instanceof Object && 'err' in given[0] ? given[0].err : given)),
}

async function mailsTo(db: Database, person: { readonly id: number }) {
  await mailDue(db, FAILS, OPTIONS)
  return db.selectFrom('mails').selectAll().where('person_id', '=', person.id).orderBy('id').execute()
}

async function aTalk(t: Parameters<typeof testDatabase>[0], language: 'en' | 'ko' = 'en') {
  const db = await testDatabase(t)
  const course = await aCourse(db, { title: 'REST' })
  const asker = await aMember(db, course, 'learner', await aPerson(db, { language }))
  const question = await aQuestion(db, { course, author: asker, title: 'May I leave the links out?' })
  return { db, course, asker, question }
}

suite('mail of what is new', () => {
  test('is one for all that came, with the texts, and is written once', async (t) => {
    const { db, asker, question, course } = await aTalk(t)
    const mara = await aPerson(db, { displayName: 'Mara' })
    await anAnswer(db, { question, author: mara, body: 'Leave the **door** open: [links](/courses/x)' })
    const other = await aQuestion(db, { course, author: asker, title: 'And the verbs?' })
    await anAnswer(db, { question: other, body: 'All of them.' })
    const [mail, ...more] = await mailsTo(db, asker)
    assert.ok(mail !== undefined && more.length === 0)
    assert.equal(mail.recipient, asker.email)
    assert.equal(mail.subject, 'Activity in 2 questions')
    for (const part of [
      'Mara answered',
      'Leave the **door** open',
      '# And the verbs?',
      'All of them.',
      '/unsubscribe/',
    ])
      assert.ok(mail.text.includes(part), part)
    for (const part of ['<strong>door</strong>', 'href="http://localhost:3000/courses/x"', 'color-scheme'])
      assert.ok(mail.html.includes(part), part)
    assert.equal((await mailsTo(db, asker)).length, 1, 'nothing is told twice')

    await anAnswer(db, { question: other, body: 'Later news.' })
    const second = (await mailsTo(db, asker))[1]
    assert.ok(second !== undefined)
    assert.match(second.text, /Later news\./)
    assert.doesNotMatch(second.text, /All of them/)
    assert.equal(second.headers.References, `<question-${other.id}@localhost>`)
  })

  test('has the headers that mail programs go by, and is in the reader’s language', async (t) => {
    const { db, asker, question, course } = await aTalk(t, 'ko')
    await anAnswer(db, { question })
    const [mail] = await mailsTo(db, asker)
    assert.equal(mail?.subject, 'May I leave the links out? · REST')
    assert.match(mail?.text ?? '', /님의 답변/)
    assert.equal(mail?.headers['List-Id'], `<course-${course.id}.localhost>`)
    assert.equal(mail?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    assert.match(mail?.headers['List-Unsubscribe'] ?? '', /^<http:\/\/localhost:3000\/unsubscribe\/[\w.-]+>$/)
  })

  test('tells nothing that was seen, deleted, hidden, muted or closed meanwhile, and without anything there is none', async (t) => {
    const { db, course, asker, question } = await aTalk(t)
    const seen = await aQuestion(db, { course, author: asker })
    await anAnswer(db, { question: seen })
    await within(db, markAllSeen, asker.id)
    const answer = await anAnswer(db, { question, body: 'Gone again.' })
    await within(db, deleteAnswer, question.id, answer.id)
    for (const table of ['questions', 'answers'] as const) {
      const followed = await aQuestion(db, { course })
      await within(db, setFollowing, followed.id, asker.id, 'follow')
      const { id } = await anAnswer(db, { question: followed })
      await within(db, hidePost, { table, id: table === 'questions' ? followed.id : id })
    }
    const muted = await aQuestion(db, { course, author: asker })
    await anAnswer(db, { question: muted })
    await within(db, setFollowing, muted.id, asker.id, 'mute')
    const closed = await aCourse(db)
    const elsewhere = await aQuestion(db, { course: closed, author: asker })
    await anAnswer(db, { question: elsewhere })
    await db.updateTable('courses').set({ is_public: false }).where('id', '=', closed.id).execute()
    await db.deleteFrom('course_members').where('course_id', '=', closed.id).execute()
    assert.deepEqual(await mailsTo(db, asker), [])
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::integer as waiting from deliveries where person_id = ${asker.id} and waiting_since is not null`.execute(
      db,
    )
    assert.equal(rows[0]?.waiting, 0)
  })

  test('tells announcements to nobody who left the course or was removed meanwhile, unless they follow it', async (t) => {
    const { db, course, asker } = await aTalk(t)
    const { id: authorId } = await aMember(db, course, 'instructor')
    const follower = await aMember(db, course, 'learner')
    const stays = await aMember(db, course, 'learner')
    await within(db, setPlaceFollowing, { kind: 'course', id: course.id }, follower.id, true)
    const news = { courseId: course.id, authorId, title: 'The room', body: 'It is 12.', correctsId: null }
    await anAnnouncement(db, news)
    for (const { id } of [asker, follower]) await within(db, leaveCourse, course.id, id)
    assert.deepEqual(await mailsTo(db, asker), [])
    for (const person of [follower, stays]) assert.equal((await mailsTo(db, person)).length, 1)
  })

  test('goes to confirmed addresses alone, and tells no kind that is not wanted', async (t) => {
    const { db, asker, question } = await aTalk(t)
    await db
      .updateTable('people')
      .set({ mails_off: ['answered'] })
      .where('id', '=', asker.id)
      .execute()
    const answer = await anAnswer(db, { question })
    assert.deepEqual(await mailsTo(db, asker), [])
    await aReply(db, { question, body: 'A reply to the asker.' })
    const [mail] = await mailsTo(db, asker)
    assert.match(mail?.text ?? '', /A reply to the asker/)
    const helper = { id: answer.authorId }
    const before = (await mailsTo(db, helper)).length
    await db.updateTable('people').set({ email_confirmed_at: null }).where('id', '=', helper.id).execute()
    await aReply(db, { answer })
    assert.equal((await mailsTo(db, helper)).length, before)
  })

  test('never names who is anonymous to its reader, in no header and no part; staff it does', async (t) => {
    const { db, course, asker, question } = await aTalk(t)
    const staff = await aMember(db, course, 'instructor')
    await within(db, setFollowing, question.id, staff.id, 'follow')
    const hidden = await aPerson(db, { displayName: 'Zyxmara Quork' })
    await anAnswer(db, { question, author: hidden, isAnonymous: true })
    const [mail] = await mailsTo(db, asker)
    assert.ok(mail !== undefined && /Anonymous/.test(mail.text))
    assert.doesNotMatch(JSON.stringify(mail), /zyxmara|quork/i)
    const toStaff = await db
      .selectFrom('mails')
      .selectAll()
      .where('person_id', '=', staff.id)
      .executeTakeFirst()
    assert.match(toStaff?.text ?? '', /Zyxmara Quork/)
  })

  test('waits for the end of its window: five minutes after the last, fifteen after the first, and is as the posts are by then', async (t) => {
    const { db, asker, question, course } = await aTalk(t)
    const staff = await aMember(db, course, 'assistant')
    const early = await anAnswer(db, { question, author: staff, body: 'The first text.' })
    const other = await aQuestion(db, { course, author: asker })
    const gone = await anAnswer(db, { question: other, body: 'Taken back.' })
    await db.updateTable('people').set({ mail_rhythm: 'never' }).where('id', '<>', asker.id).execute()
    await sql`delete from deliveries where person_id <> ${asker.id}`.execute(db)
    await sql`delete from delivery_windows where person_id <> ${asker.id}`.execute(db)
    const options = { ...OPTIONS, soonSeconds: 300 }
    const pass = (seconds: number) => passTime(db, `${seconds} seconds`, [asker])
    const written = () => mailDue(db, FAILS, options)
    assert.equal(await written(), 0)
    await pass(240)
    await anAnswer(db, { question, author: staff, body: 'The last text.' })
    await pass(240)
    assert.equal(await written(), 0, 'the last can still be mended')
    await sql`update answers set body = 'The mended text.', body_html = '<p>The mended text.</p>' where id = ${early.id}`.execute(
      db,
    )
    await within(db, deleteAnswer, other.id, gone.id)
    await pass(61)
    assert.equal(await written(), 1)
    const mails = await db.selectFrom('mails').select(['person_id', 'subject', 'text']).execute()
    assert.deepEqual(
      mails.map(({ person_id, subject }) => ({ person_id, subject })),
      [{ person_id: asker.id, subject: `${question.title} · REST` }],
    )
    const [{ text = '' } = {}] = mails
    assert.match(text, /The mended text\.[\s\S]*The last text\./)
    assert.doesNotMatch(text, /first text|Taken back/)

    for (let minutes = 0; minutes < 16; minutes += 4) {
      await anAnswer(db, { question, author: staff, body: 'More and more.' })
      await pass(240)
    }
    assert.equal(await written(), 1, 'it does not wait for ever')
  })
})

suite('settings of mail', () => {
  test('are chosen by a form: how often, for each course, and of what', async (t) => {
    const { db, course, asker, question } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    await anAnswer(db, { question })
    const answer = await reader.post('/settings/notifications', {
      rhythm: 'weekly',
      [`course_${course.slug}`]: 'never',
      kind_reply: 1,
      kinds: 1,
    })
    assert.equal(answer.statusCode, 303)
    const page = (await reader.get('/settings/notifications')).body
    assert.match(page, /value="weekly" checked/)
    assert.match(page, /value="never" selected/)
    const named = `aria-labelledby="rhythm course_${course.slug}-title"`
    assert.ok(
      page.includes(named) && page.includes('id="rhythm"'),
      'the select says of what it is the choice',
    )
    assert.match(page, /name="kind_reply" value="1" checked/)
    assert.doesNotMatch(page, /name="kind_answered" value="1" checked/)
    assert.deepEqual(await mailsTo(db, asker), [], 'what waited goes by the new settings')
    assert.equal((await reader.post('/settings/notifications', { rhythm: 'hourly' })).statusCode, 422)
    await reader.post('/settings/notifications', { rhythm: 'soon' })
    assert.match((await reader.get('/settings/notifications')).body, /name="kind_reply" value="1" checked/)
  })

  test('say of pushes the same on their own, and a form without them leaves them as they are', async (t) => {
    const { db, asker } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    await reader.post('/settings/notifications', { rhythm: 'never', kinds: 1, push: 'soon', push_mention: 1 })
    await reader.post('/settings/notifications', { rhythm: 'daily', kinds: 1 })
    const page = (await reader.get('/settings/notifications')).body
    assert.match(page, /name="push" value="soon" checked/)
    assert.match(page, /name="push_mention" value="1" checked/)
    assert.doesNotMatch(page, /name="push_(answered|week)" value="1" checked/)
    assert.doesNotMatch(page, /name="kind_mention" value="1" checked/)
    assert.equal((await reader.post('/settings/notifications', { push: 'daily' })).statusCode, 422)
  })

  test('do not show learners what only staff are mailed, nor change it', async (t) => {
    const { db, course, asker } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    const staffOnly = /name="kind_(promise|week)"/
    const page = async () => (await reader.get('/settings/notifications')).body
    const off = async () =>
      (await db.selectFrom('people').select('mails_off').where('id', '=', asker.id).executeTakeFirstOrThrow())
        .mails_off
    const asLearner = await page()
    assert.doesNotMatch(asLearner, staffOnly)
    await db
      .updateTable('people')
      .set({ mails_off: ['week'] })
      .where('id', '=', asker.id)
      .execute()
    await reader.post('/settings/notifications', { kinds: valueIn(asLearner, 'kinds') ?? '', kind_reply: 1 })
    assert.ok((await off()).includes('answered'))
    assert.deepEqual(
      (await off()).filter((kind) => kind === 'week' || kind === 'promise'),
      ['week'],
    )
    await db.transaction().execute((write) => giveRole(write, course.id, asker.email, 'assistant'))
    assert.match(await page(), staffOnly)
    await reader.post('/settings/notifications', { kinds: valueIn(asLearner, 'kinds') ?? '', kind_reply: 1 })
    assert.equal((await off()).includes('promise'), false, 'a form from before does not have it')
    await reader.post('/settings/notifications', {
      kinds: valueIn(await page(), 'kinds') ?? '',
      kind_reply: 1,
    })
    assert.ok((await off()).includes('promise'))
  })

  test('say that three mails came back, and send there again once one says so', async (t) => {
    const { db, asker, question } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    const page = async () => (await reader.get('/settings/notifications')).body
    assert.doesNotMatch(await page(), /name="resume"/)
    await db.updateTable('people').set({ mail_stopped_for: asker.email }).where('id', '=', asker.id).execute()
    await anAnswer(db, { question, body: 'This is not mailed.' })
    assert.deepEqual(await mailsTo(db, asker), [])
    assert.match(await page(), new RegExp(`Three emails in a row to ${asker.email}`))
    await reader.post('/settings/notifications', { resume: 1 })
    assert.doesNotMatch(await page(), /name="resume"/)
    await anAnswer(db, { question, body: 'This one is.' })
    const texts = (await mailsTo(db, asker)).map(({ text }) => text)
    assert.equal(texts.length, 1)
    assert.match(texts[0] ?? '', /This one is\./)
    assert.doesNotMatch(texts[0] ?? '', /not mailed/)
  })

  test('end by the link of a mail, without cookie and token; a GET ends nothing', async (t) => {
    const { db, asker, question } = await aTalk(t)
    const app = await testApp(t, db)
    await anAnswer(db, { question })
    const [mail] = await mailsTo(db, asker)
    const path = /\/unsubscribe\/[\w.-]+/.exec(mail?.text ?? '')?.[0] ?? ''
    const rhythm = async () =>
      (
        await db
          .selectFrom('people')
          .select('mail_rhythm')
          .where('id', '=', asker.id)
          .executeTakeFirstOrThrow()
      ).mail_rhythm
    const opened = await visitor(app).get(path)
    assert.equal(opened.statusCode, 200)
    assert.match(opened.body, /<form class="stack" method="post"/)
    assert.equal(await rhythm(), 'soon')

    const slower = await app.inject({
      method: 'POST',
      url: path,
      payload: 'rhythm=daily',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(slower.statusCode, 200)
    assert.equal(await rhythm(), 'daily')
    await app.inject({
      method: 'POST',
      url: path,
      payload: 'rhythm=soon',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(await rhythm(), 'daily', 'only downwards')

    const ended = await app.inject({
      method: 'POST',
      url: path,
      payload: 'List-Unsubscribe=One-Click',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    assert.equal(ended.statusCode, 200)
    assert.equal(await rhythm(), 'never')
    const multipart = await app.inject({
      method: 'POST',
      url: path,
      payload: '--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      headers: { 'content-type': 'multipart/form-data; boundary=x', origin: 'https://mail.example' },
    })
    assert.equal(multipart.statusCode, 200)
    for (const forged of [
      `${path}x`,
      path.replace(/\d+\.all/, '1.all').replace(/.$/, 'A'),
      '/unsubscribe/x',
      '/unsubscribe/1.all.0.x',
    ])
      assert.equal((await app.inject({ method: 'POST', url: forged })).statusCode, 404, forged)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { refuses } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { valueIn } from '../../testing/page.ts'
import { passTime } from '../../testing/pass-time.ts'
import { anAnnouncement, deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { giveRole, leaveCourse } from '../courses/roles.ts'
import { setFollowing, setPlaceFollowing } from '../follows/following.ts'
import { hidePost } from '../posts/removal.ts'
import { markAllSeen } from '../telling/read.ts'
import { mailChoice } from './operations.ts'
import { writeMails, mailsTo as writtenTo } from './testing.ts'

async function mailsTo(db: Database, person: { readonly id: number }) {
  await writeMails(db)
  return writtenTo(db, person)
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
    const written = ['Mara answered', 'Leave the **door** open', '# And the verbs?', 'All of them.']
    for (const part of [...written, '/unsubscribe/']) assert.ok(mail.text.includes(part), part)
    for (const part of ['<strong>door</strong>', 'href="https://forum.example/courses/x"', 'color-scheme'])
      assert.ok(mail.html.includes(part), part)
    assert.equal((await mailsTo(db, asker)).length, 1, 'nothing is told twice')

    await anAnswer(db, { question: other, body: 'Later news.' })
    const second = (await mailsTo(db, asker))[1]
    assert.ok(second !== undefined)
    assert.match(second.text, /Later news\./)
    assert.doesNotMatch(second.text, /All of them/)
    assert.equal(second.headers.References, `<question-${other.id}@forum.example>`)
  })

  test('has the headers that mail programs go by, and is in the reader’s language', async (t) => {
    const { db, asker, question, course } = await aTalk(t, 'ko')
    await anAnswer(db, { question })
    const [mail] = await mailsTo(db, asker)
    assert.equal(mail?.subject, 'May I leave the links out? · REST')
    assert.match(mail?.text ?? '', /님의 답변/)
    assert.equal(mail?.headers['List-Id'], `<course-${course.id}.forum.example>`)
    assert.equal(mail?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
    const link = /^<https:\/\/forum\.example\/unsubscribe\/[\w.-]+>$/
    assert.match(mail?.headers['List-Unsubscribe'] ?? '', link)
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
    await setRows(db, 'courses', closed.id, { is_public: false })
    await db.deleteFrom('course_members').where('course_id', '=', closed.id).execute()
    assert.deepEqual(await mailsTo(db, asker), [])
    const waiting = await rowsOf(db, 'deliveries', { person_id: asker.id })
    assert.ok(waiting.every((delivery) => delivery.waiting_since === null))
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
    await setRows(db, 'people', asker.id, { mails_off: ['answered'] })
    const answer = await anAnswer(db, { question })
    assert.deepEqual(await mailsTo(db, asker), [])
    await aReply(db, { question, body: 'A reply to the asker.' })
    const [mail] = await mailsTo(db, asker)
    assert.match(mail?.text ?? '', /A reply to the asker/)
    const helper = { id: answer.authorId }
    const before = (await mailsTo(db, helper)).length
    await setRows(db, 'people', helper.id, { email_confirmed_at: null })
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
    assert.match((await writtenTo(db, staff))[0]?.text ?? '', /Zyxmara Quork/)
  })

  test('waits for the end of its window: five minutes after the last, fifteen after the first, and is as the posts are by then', async (t) => {
    const { db, asker, question, course } = await aTalk(t)
    const staff = await aMember(db, course, 'assistant')
    const early = await anAnswer(db, { question, author: staff, body: 'The first text.' })
    const other = await aQuestion(db, { course, author: asker })
    const gone = await anAnswer(db, { question: other, body: 'Taken back.' })
    await setRows(db, 'people', staff.id, { mail_rhythm: 'never' })
    for (const table of ['deliveries', 'delivery_windows'] as const)
      await db.deleteFrom(table).where('person_id', '<>', asker.id).execute()
    const pass = (seconds: number) => passTime(db, `${seconds} seconds`, [asker])
    const written = () => writeMails(db, { soonSeconds: 300 })
    assert.equal(await written(), 0)
    await pass(240)
    await anAnswer(db, { question, author: staff, body: 'The last text.' })
    await pass(240)
    assert.equal(await written(), 0, 'the last can still be mended')
    const mended = { body: 'The mended text.', body_html: '<p>The mended text.</p>' }
    await setRows(db, 'answers', early.id, mended)
    await within(db, deleteAnswer, other.id, gone.id)
    await pass(61)
    assert.equal(await written(), 1)
    const [{ subject, text } = assert.fail(), ...more] = await writtenTo(db, asker)
    assert.deepEqual([subject, more], [`${question.title} · REST`, []])
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
  const PATH = '/settings/notifications'

  test('are chosen by a form: how often, for each course, and of what', async (t) => {
    const { db, course, asker, question } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    await anAnswer(db, { question })
    const chosen = { rhythm: 'weekly', [`course_${course.slug}`]: 'never', kind_reply: 1, kinds: 1 }
    assert.equal((await reader.post(PATH, chosen)).statusCode, 303)
    const page = (await reader.get(PATH)).body
    assert.match(page, /value="weekly" checked/)
    assert.match(page, /value="never" selected/)
    const named = `aria-labelledby="rhythm course_${course.slug}-title"`
    assert.ok(page.includes(named) && page.includes('id="rhythm"'), 'the select says of what it is')
    assert.match(page, /name="kind_reply" value="1" checked/)
    assert.doesNotMatch(page, /name="kind_answered" value="1" checked/)
    assert.deepEqual(await mailsTo(db, asker), [], 'what waited goes by the new settings')
    await reader.post(PATH, { rhythm: 'soon' })
    assert.match((await reader.get(PATH)).body, /name="kind_reply" value="1" checked/)
  })

  test('say of pushes the same on their own, and a form without them leaves them as they are', async (t) => {
    const { db, asker } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    await reader.post(PATH, { rhythm: 'never', kinds: 1, push: 'soon', push_mention: 1 })
    await reader.post(PATH, { rhythm: 'daily', kinds: 1 })
    const page = (await reader.get(PATH)).body
    assert.match(page, /name="push" value="soon" checked/)
    assert.match(page, /name="push_mention" value="1" checked/)
    assert.doesNotMatch(page, /name="(?:push_(?:answered|week)|kind_mention)" value="1" checked/)
    await refuses({ db }, mailChoice, { actor: asker, key: null }, [
      [{ push: 'daily' }, 'push: forms.choice'],
      [{ rhythm: 'hourly' }, 'rhythm: forms.choice'],
    ])
  })

  test('do not show learners what only staff are mailed, nor change it', async (t) => {
    const { db, course, asker } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    const staffOnly = /name="kind_(promise|week)"/
    const page = async () => (await reader.get(PATH)).body
    const saved = async (kinds: string | null) => {
      await reader.post(PATH, { kinds: kinds ?? '', kind_reply: 1 })
      const { mails_off: off } = await rowOf(db, 'people', asker.id)
      return ['answered', 'week', 'promise'].filter((reason) => off.includes(reason))
    }
    assert.doesNotMatch(await page(), staffOnly)
    const asLearner = valueIn(await page(), 'kinds')
    await setRows(db, 'people', asker.id, { mails_off: ['week'] })
    assert.deepEqual(await saved(asLearner), ['answered', 'week'])
    await within(db, giveRole, course.id, asker.email, 'assistant')
    assert.match(await page(), staffOnly)
    assert.deepEqual(await saved(asLearner), ['answered', 'week'], 'a form from before does not have it')
    assert.deepEqual(await saved(valueIn(await page(), 'kinds')), ['answered', 'week', 'promise'])
  })

  test('say that three mails came back, and send there again once one says so', async (t) => {
    const { db, asker, question } = await aTalk(t)
    const reader = await signedIn(await testApp(t, db), asker)
    const page = async () => (await reader.get(PATH)).body
    assert.doesNotMatch(await page(), /name="resume"/)
    await setRows(db, 'people', asker.id, { mail_stopped_for: asker.email })
    await anAnswer(db, { question, body: 'This is not mailed.' })
    assert.deepEqual(await mailsTo(db, asker), [])
    assert.match(await page(), new RegExp(`Three emails in a row to ${asker.email}`))
    await reader.post(PATH, { resume: 1 })
    assert.doesNotMatch(await page(), /name="resume"/)
    await anAnswer(db, { question, body: 'This one is.' })
    const [{ text } = assert.fail(), ...more] = await mailsTo(db, asker)
    assert.deepEqual(more, [])
    assert.match(text, /This one is\./)
    assert.doesNotMatch(text, /not mailed/)
  })

  test('end by the link of a mail, without cookie and token; a GET ends nothing', async (t) => {
    const { db, asker, question } = await aTalk(t)
    const app = await testApp(t, db)
    await anAnswer(db, { question })
    const [mail] = await mailsTo(db, asker)
    const path = /\/unsubscribe\/[\w.-]+/.exec(mail?.text ?? '')?.[0] ?? ''
    const rhythm = async () => (await rowOf(db, 'people', asker.id)).mail_rhythm
    const opened = await visitor(app).get(path)
    assert.equal(opened.statusCode, 200)
    assert.match(opened.body, /<form class="stack" method="post"/)
    assert.equal(await rhythm(), 'soon')

    const form = 'application/x-www-form-urlencoded'
    const press = async (payload: string, contentType = form) => {
      const headers = { 'content-type': contentType, origin: 'https://mail.example' }
      assert.equal((await app.inject({ method: 'POST', url: path, payload, headers })).statusCode, 200)
      return rhythm()
    }
    assert.equal(await press('rhythm=daily'), 'daily')
    assert.equal(await press('rhythm=soon'), 'daily', 'only downwards')
    assert.equal(await press('List-Unsubscribe=One-Click'), 'never')
    await setRows(db, 'people', asker.id, { mail_rhythm: 'soon' })
    const part = 'content-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click'
    assert.equal(await press(`--x\r\n${part}\r\n--x--\r\n`, 'multipart/form-data; boundary=x'), 'never')
    const another = path.replace(/\d+\.all/, '1.all').replace(/.$/, 'A')
    for (const forged of [`${path}x`, another, '/unsubscribe/x', '/unsubscribe/1.all.0.x'])
      assert.equal((await app.inject({ method: 'POST', url: forged })).statusCode, 404, forged)
  })
})

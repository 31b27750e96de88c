import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { Lane } from '../../jobs/runner.ts'
import { FAST } from '../../jobs/testing.ts'
import type { Mail } from '../../mail/renewal.ts'
import { sendingTo } from '../../mail/send-mail.ts'
import { silentLog } from '../../testing/app.ts'
import { setAudience } from '../../testing/audience.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadePerson } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { anAnnouncement, deleteAnswer } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { removeMember } from '../courses/roles.ts'
import { setFollowing } from '../follows/following.ts'
import { mailInvited } from '../members/invitation-mail.ts'
import { hidePost } from '../posts/removal.ts'
import { markAllSeen } from '../telling/read.ts'
import { saveMailChoices } from './choices.ts'
import { mailRenewals, type NotifierOptions } from './notifier.ts'
import { weekKind } from './staff-week.ts'
import { MAILING, mailsTo, writeMails } from './testing.ts'

const REPLIED: NotifierOptions = { ...MAILING, replyAddress: 'reply@forum.example' }
const BOTH = { rhythm: 'never', courses: new Map(), isResumed: false } as const

/** A private course with a question that a classmate follows, whose mail about an answer is written and waits. */
async function aWaitingMail(t: TestContext) {
  const db = await testDatabase(t)
  const course = await aCourse(db, { isPublic: false })
  const [staff, asker] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
  const helper = await aMember(db, course, 'learner', await aPerson(db, { displayName: 'Zyxhelper' }))
  const classmate = await aMember(db, course)
  const question = await aQuestion(db, { course, author: asker, title: 'Zyxquestion' })
  const other = await aQuestion(db, { course, author: asker, title: 'Zyxother' })
  for (const { id } of [question, other]) await within(db, setFollowing, id, classmate.id, 'follow')
  const answer = await anAnswer(db, { question, author: helper, body: 'Zyxanswer' })
  await write(db)
  return { db, course, staff, asker, helper, classmate, question, other, answer }
}

const write = (db: Database) => writeMails(db, REPLIED)

function aServer(db: Database) {
  const sent: Mail[] = []
  const server = { send: async (mail: Mail) => String(sent.push(mail)), close: () => undefined }
  return { sent, sending: sendingTo(db, server, silentLog(), { renewals: mailRenewals(REPLIED) }) }
}

/** Sends what waits. @returns the mails to somebody, as they were sent */
async function sentTo(db: Database, person: MadePerson): Promise<Mail[]> {
  const { sent, sending } = aServer(db)
  await doJobs(db, sending)
  return sent.filter(({ recipient }) => recipient === person.email)
}

suite('a mail that waits for the mail server', () => {
  const losses: Record<string, (talk: Awaited<ReturnType<typeof aWaitingMail>>) => Promise<unknown>> = {
    'the question became private': ({ db, question }) => setAudience(db, question.id, 'staff'),
    'they were removed from the course': ({ db, course, classmate }) =>
      within(db, removeMember, course.id, classmate.id),
    'the answer was deleted': ({ db, question, answer }) => within(db, deleteAnswer, question.id, answer.id),
    'staff hid the answer': ({ db, answer }) => within(db, hidePost, { table: 'answers', id: answer.id }),
    'staff hid the question': ({ db, question }) =>
      within(db, hidePost, { table: 'questions', id: question.id }),
    'they muted the question': ({ db, question, classmate }) =>
      within(db, setFollowing, question.id, classmate.id, 'mute'),
    'they read it in the forum': ({ db, classmate }) => within(db, markAllSeen, classmate.id),
    'they ended all mail': ({ db, classmate }) => within(db, saveMailChoices, classmate.id, BOTH),
    'their address came back': ({ db, classmate }) =>
      setRows(db, 'people', classmate.id, { mail_stopped_for: classmate.email }),
  }
  for (const [what, happen] of Object.entries(losses))
    test(`is dropped, and kept nowhere, where meanwhile ${what}`, async (t) => {
      const talk = await aWaitingMail(t)
      const { db, classmate } = talk
      await happen(talk)
      assert.deepEqual([await sentTo(db, classmate), await mailsTo(db, classmate)], [[], []])
    })

  test('is written again where a part of it is gone, hidden or changed, and stays the same mail', async (t) => {
    const { db, asker, classmate, other, helper, answer } = await aWaitingMail(t)
    const gone = await anAnswer(db, { question: other, author: helper, body: 'Zyxgone' })
    await write(db)
    const [first = assert.fail(), second] = await mailsTo(db, classmate)
    assert.match(first.text, /Zyxhelper/)
    assert.match(second?.text ?? '', /Zyxgone/)
    await within(db, deleteAnswer, other.id, gone.id)
    await setRows(db, 'answers', answer.id, { is_anonymous: true })
    const next = 'someone-else@example.com'
    await setRows(db, 'people', classmate.id, { email: next })

    assert.deepEqual(await sentTo(db, classmate), [], 'the old address')
    const { text, sent_at: sentAt, recipient, key } = await rowOf(db, 'mails', first.id)
    assert.deepEqual([text, sentAt === null, recipient, key], ['', false, next, first.key])
    assert.deepEqual(await sentTo(db, asker), [], 'nothing is sent twice')
  })

  test('tells nothing that came after it was written: the next one does', async (t) => {
    const { db, classmate, question, helper, answer } = await aWaitingMail(t)
    await anAnswer(db, { question, author: helper, body: 'Zyxlater' })
    await setRows(db, 'answers', answer.id, { is_anonymous: true })
    const [mail, ...none] = await sentTo(db, classmate)
    assert.ok(mail !== undefined && none.length === 0)
    assert.match(mail.text, /Anonymous 1 answered[\s\S]*Zyxanswer/)
    assert.doesNotMatch(`${mail.text}${mail.html}`, /Zyxhelper|Zyxlater/)
    assert.match(mail.headers['Reply-To'] ?? '', /^reply\+/)
    await write(db)
    const [following] = await sentTo(db, classmate)
    assert.match(following?.text ?? '', /Zyxlater/)
    assert.doesNotMatch(following?.text ?? '', /Zyxanswer/)
  })

  test('of many that leave together, each is looked at by itself', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { isPublic: false })
    const author = await aMember(db, course, 'instructor')
    const [stays, leaves] = [await aMember(db, course), await aMember(db, course)]
    const [ends, returned] = [await aMember(db, course), await aMember(db, course)]
    const news = { courseId: course.id, authorId: author.id, title: 'Zyxnews', body: 'Zyxbody' }
    await anAnnouncement(db, news)
    await write(db)
    await within(db, removeMember, course.id, leaves.id)
    await within(db, saveMailChoices, ends.id, BOTH)
    await setRows(db, 'people', returned.id, { mail_stopped_for: returned.email })
    const { sent, sending } = aServer(db)
    const lane = new Lane(db, silentLog(), sending, FAST)
    await until('nothing waits', async () => (await rowsOf(db, 'jobs', {})).length === 0)
    await lane.stop()
    assert.deepEqual(valuesOf(sent, 'recipient'), [stays.email])
  })

  test('is dropped where it tells of a course that one is no longer staff of, or invites whom nobody expects any more', async (t) => {
    const { db, course, staff } = await aWaitingMail(t)
    await sentTo(db, staff)
    await doJobs(db, weekKind(db, REPLIED))
    await setRows(db, 'staff_weeks', { person_id: staff.id }, { next_at: new Date(0) })
    await doJobs(db, weekKind(db, REPLIED))
    const invited = ['stays@example.org', 'goes@example.org']
    const pending = invited.map((email) => ({ email, role: 'assistant' as const }))
    const rows = pending.map((role) => ({ ...role, course_id: course.id }))
    await db.insertInto('pending_roles').values(rows).execute()
    const sender = { id: staff.id, isAdmin: true, newUntil: null }
    const to = { id: course.id, title: 'Zyxcourse', language: 'en' as const }
    await within(db, mailInvited, { course: to, baseUrl: REPLIED.baseUrl, sender }, pending)
    const waiting = await rowsOf(db, 'mails', { sent_at: null })
    assert.deepEqual(waiting.map(({ kind, recipient }) => `${kind} ${recipient}`).toSorted(), [
      'invitation goes@example.org',
      'invitation stays@example.org',
      `week ${staff.email}`,
    ])
    await db.deleteFrom('pending_roles').where('email', '=', 'goes@example.org').execute()
    await setRows(db, 'course_members', { person_id: staff.id }, { role: 'learner' })
    assert.deepEqual(await sentTo(db, staff), [])
    const sent = await db.selectFrom('mails').select('recipient').where('kind', '<>', 'news').execute()
    assert.deepEqual(sent, [{ recipient: 'stays@example.org' }])
  })
})

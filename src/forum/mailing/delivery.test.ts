import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { Lane } from '../../jobs/runner.ts'
import { FAST } from '../../jobs/testing.ts'
import { mailServer } from '../../mail/mail-server.ts'
import type { Mail } from '../../mail/renewal.ts'
import { sendingTo } from '../../mail/send-mail.ts'
import { aMailServer, type TestMailServer } from '../../mail/testing.ts'
import { silentLog } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { anAnnouncement } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { until } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { mailRenewals, newsKind } from './notifier.ts'
import { MAILING } from './testing.ts'

function startAll(test: Ending, db: Database, { url }: TestMailServer) {
  const server = mailServer({ url, from: 'f@forum.example', host: 'forum.example' })
  for (const kind of [newsKind(db, { ...MAILING, isSent: true }), sendingTo(db, server, silentLog())]) {
    const lane = new Lane(db, silentLog(), kind, FAST)
    atEnd(test, () => lane.stop())
  }
}

async function aFollowed(db: Database, followers: number) {
  const question = await aQuestion(db, { course: await aCourse(db) })
  await db.updateTable('people').set({ mail_rhythm: 'never' }).execute()
  const people = []
  for (let count = 0; count < followers; count += 1) {
    const person = await aPerson(db)
    await within(db, setFollowing, question.id, person.id, 'follow')
    people.push(person)
  }
  return { question, people }
}

suite('mail of what is new, through a mail server', () => {
  test('arrives with both parts and the headers that end it by one click', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const { question } = await aFollowed(db, 1)
    startAll(t, db, server)
    await anAnswer(db, { question, body: 'Leave the door open.' })
    await until('a mail arrives', () => server.arrived.length > 0)
    const source = server.arrived[0]?.source.replace(/\r\n[ \t]+/g, ' ') ?? ''
    for (const header of [
      /^List-Unsubscribe: <https:\/\/forum\.example\/unsubscribe\/[\w.-]+>/m,
      /^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m,
      /^List-Id: <course-\d+\.forum\.example>/im,
      /^References: <question-\d+@forum\.example>/m,
      /^Auto-Submitted: auto-generated/m,
      /^Content-Type: multipart\/alternative/m,
    ])
      assert.match(source, header)
  })

  test('after the server was away everything came once, in order, bundled', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const { question, people } = await aFollowed(db, 3)
    await server.goAway()
    startAll(t, db, server)
    const bodies = Array.from({ length: 12 }, (_one, index) => `Body number ${index} of these.`)
    for (const body of bodies) await anAnswer(db, { question, body })
    await until('a mail waits', async () =>
      (await rowsOf(db, 'jobs', {})).some(({ last_error }) => last_error !== null),
    )
    await server.comeBack()
    const of = (email: string) =>
      server.arrived.filter(({ to }) => to.includes(email)).map(({ source }) => source)
    for (const { email } of people) {
      await until(`all texts reach ${email}`, () =>
        bodies.every((body) => of(email).some((mail) => mail.includes(body))),
      )
      // Twice in a mail: as text and as HTML. Without the line breaks of their transfer.
      const mails = of(email)
        .join('')
        .replaceAll(/=\r?\n/g, '')
      for (const body of bodies) assert.equal(mails.split(body).length - 1, 2, body)
      assert.ok(of(email).length <= 2, 'the one that waited, and one with all the rest')
      // In the order in which they were written, from mail to mail and within each; numbers without a line break in them.
      const inOrder = of(email).flatMap((mail) => {
        const [text = ''] = mail.split(/^Content-Type: text\/html/m)
        return [...text.matchAll(/Body number (\d+)/g)].map(([, number]) => Number(number))
      })
      assert.deepEqual(inOrder, [...bodies.keys()])
    }
  })

  test('about an answer goes before announcements that are due to many since before, which all arrive', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const { question, people } = await aFollowed(db, 1)
    const course = await aCourse(db)
    const author = await aMember(db, course, 'instructor')
    for (let count = 0; count < 60; count += 1) await aMember(db, course)
    const news = { courseId: course.id, authorId: author.id, title: 'What is new', body: 'Zyxnews' }
    await anAnnouncement(db, news)
    await setRows(db, 'people', people[0]?.id ?? 0, { mail_rhythm: 'soon' })
    await anAnswer(db, { question, body: 'Zyxanswer' })
    startAll(t, db, server)
    await until('all arrive', () => server.arrived.length >= 61)
    const place = server.arrived.findIndex(({ source }) => source.includes('Zyxanswer'))
    // The first twenty of each are looked up together, and five mails are under way at once.
    assert.ok(place >= 0 && place < 25, `it is number ${place}`)
    assert.equal(server.arrived.filter(({ source }) => source.includes('Zyxnews')).length, 60)
  })

  test('an announcement to many is written, and looked at again, by few statements', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db)
    const author = await aMember(db, course, 'instructor')
    for (let count = 0; count < 40; count += 1) await aMember(db, course)
    const news = { courseId: course.id, authorId: author.id, title: 'What is new', body: 'Zyxnews' }
    await anAnnouncement(db, news)
    const statements = recordStatements(t)
    await doJobs(db, newsKind(db, MAILING))
    assert.ok(statements.length < 40, `writing took ${statements.length}`)
    statements.length = 0
    const sent: string[] = []
    const server = { send: async ({ text }: Mail) => String(sent.push(text)), close: () => undefined }
    const sending = sendingTo(db, server, silentLog(), { renewals: mailRenewals(MAILING), connections: 20 })
    const lane = new Lane(db, silentLog(), sending, FAST)
    await until('all are sent', () => sent.length === 40)
    await lane.stop()
    const looks = statements.filter((statement) => /announcements as news/.test(statement))
    assert.ok(looks.length < 20, `looking again took ${looks.length} times`)
    assert.ok(sent.every((text) => text.includes('Zyxnews')))
  })

  test('an address that refuses three mails in a row gets no more of them, and still those of the account', async (t) => {
    const [db, server] = [await testDatabase(t), await aMailServer(t)]
    const { question, people } = await aFollowed(db, 1)
    const [person = assert.fail()] = people
    server.refuseWith = { code: 550, text: '5.1.1 no such user', at: 'recipient' }
    startAll(t, db, server)
    for (const times of [1, 2, 3]) {
      await anAnswer(db, { question })
      await until(`${times} mails were refused`, async () => {
        const { rows } =
          await sql`select from mails join jobs on jobs.kind = 'mail' and jobs.key = mails.id::text
          where jobs.give_up_at <= now() and person_id = ${person.id}`.execute(db)
        return rows.length === times
      })
    }
    const stopped = async () => (await rowOf(db, 'people', person.id)).mail_stopped_for
    await until('mail is stopped', async () => (await stopped()) === person.email)
    server.refuseWith = null
    await anAnswer(db, { question })
    await until('nothing waits', async () =>
      (await rowsOf(db, 'deliveries', {})).every((delivery) => delivery.waiting_since === null),
    )
    assert.ok(!server.arrived.some(({ to }) => to.includes(person.email)))
  })
})

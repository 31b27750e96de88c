import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { mailDue } from '../mailing/notifier.ts'
import { readMail } from './read-mail.ts'
import { receiveMail } from './receive.ts'

const FORUM = {
  ...{ replyAddress: 'reply@forum.example', baseUrl: 'https://forum.example', log: () => undefined },
  keys: ['x'.repeat(32)] as const,
}
const OPTIONS = { ...FORUM, secret: FORUM.keys[0], soonSeconds: 0, isSent: false }
const FAILS = { error: () => assert.fail('a mail could not be written') }
const MARK = translatorOf('en')('mailing.answer')
let made = 0

/** A course that takes anonymous posts. */
async function anOpenCourse(db: Database) {
  const course = await aCourse(db)
  await setRows(db, 'courses', course.id, { allows_anonymous: true })
  return course
}

/** The email to a person about a new answer to the question. */
async function answerMail(db: Database, question: MadeQuestion, { id }: { readonly id: number }) {
  const answer = await anAnswer(db, { question })
  await mailDue(db, FAILS, OPTIONS)
  const mail = await db.selectFrom('mails').selectAll().where('person_id', '=', id).executeTakeFirstOrThrow()
  return { answer, mail, to: mail.headers['Reply-To'] ?? '' }
}

/** An asker who was emailed about an answer, and the address to reply to. */
async function aMailed(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t)
  const asker = await aPerson(db)
  const question = await aQuestion(db, { course: await aCourse(db), author: asker })
  return { db, asker, question, ...(await answerMail(db, question, asker)) }
}

function source(from: string, to: string, text: string, headers: readonly string[] = []): Buffer {
  made += 1
  const lines = [
    `From: <${from}>`,
    `To: <${to}>`,
    'Subject: Re: x',
    `Message-ID: <m${made}@x.example>`,
    ...headers,
  ]
  return Buffer.from(`${[...lines, 'Content-Type: text/plain; charset=utf-8'].join('\r\n')}\r\n\r\n${text}`)
}

const receive = async (db: Database, raw: Buffer) => receiveMail(db, FORUM, await readMail(raw))
const replies = (db: Database) =>
  db.selectFrom('replies').select(['body', 'author_id', 'answer_id']).execute()

suite('answering by mail', () => {
  test('posts nothing in a course that is archived', async (t) => {
    const { db, asker, question, to } = await aMailed(t)
    await setRows(db, 'courses', question.courseId, { archived_at: new Date() })
    assert.equal(await receive(db, source(asker.email, to, 'One more thing.')), 'refused')
    assert.deepEqual(await replies(db), [])
  })

  test('posts what is above the quoted mail under what the mail told of, once', async (t) => {
    const { db, asker, answer, mail, to } = await aMailed(t)
    assert.match(to, /^reply\+[0-9a-f]{40}@forum\.example$/)
    const quoted = mail.text.split('\n').map((line) => `> ${line}`)
    const text = ['Thank you, that **helps**.', '', 'On 22 Nov 2026, Handup wrote:', ...quoted].join('\r\n')
    const raw = source(asker.email.toUpperCase(), to, text)
    assert.equal(await receive(db, raw), 'posted')
    assert.equal(await receive(db, raw), 'again')
    assert.deepEqual(await replies(db), [
      { body: 'Thank you, that **helps**.', author_id: asker.id, answer_id: answer.id },
    ])
  })

  test('believes no mail that names two senders, in two headers or in one', async (t) => {
    const { db, asker, to } = await aMailed(t)
    const own = `<${asker.email}>`
    const header = (...from: string[]) =>
      Buffer.from(
        String(source(asker.email, to, 'Thank you.')).replace(
          /^From: .*$/m,
          from.map((one) => `From: ${one}`).join('\r\n'),
        ),
      )
    for (const raw of [
      header(own, '<other@evil.example>'),
      header('<other@evil.example>', own),
      header(`${own}, <other@evil.example>`),
      header(`Both: ${own}, <other@evil.example>;`),
      header(own, own),
    ])
      assert.equal(await receive(db, raw), 'refused', String(raw).split('\r\n\r\n')[0])
    assert.deepEqual(await replies(db), [])
    assert.equal(await receive(db, header(`"Learner, A." ${own}`)), 'posted')
  })

  test('keeps who is anonymous in the thread anonymous', async (t) => {
    const db = await testDatabase(t)
    const asker = await aPerson(db)
    const question = await aQuestion(db, { course: await anOpenCourse(db), author: asker, isAnonymous: true })
    const { to } = await answerMail(db, question, asker)
    assert.equal(await receive(db, source(asker.email, to, 'Thank you.')), 'posted')
    assert.deepEqual(await db.selectFrom('replies').select('is_anonymous').execute(), [
      { is_anonymous: true },
    ])
  })

  test('posts of staff nothing anonymous, whoever they were in the thread before', async (t) => {
    const db = await testDatabase(t)
    const [asker, course] = [await aPerson(db), await anOpenCourse(db)]
    const question = await aQuestion(db, { course, author: asker, isAnonymous: true })
    const { to } = await answerMail(db, question, asker)
    await aMember(db, course, 'assistant', asker)
    assert.equal(await receive(db, source(asker.email, to, 'Thank you.')), 'refused')
    assert.deepEqual(await replies(db), [])
  })

  test('is refused as the form is: newcomers’ links, and a course that takes nothing anonymous any more', async (t) => {
    const db = await testDatabase(t)
    const asker = await aPerson(db)
    const question = await aQuestion(db, { course: await anOpenCourse(db), author: asker, isAnonymous: true })
    const { to } = await answerMail(db, question, asker)
    const send = (text: string) => receive(db, source(asker.email, to, text))
    await setRows(db, 'people', asker.id, { new_until: new Date(Date.now() + 60_000) })
    const links = Array.from({ length: 6 }, (_, at) => `https://x${at}.example/`)
    assert.equal(await send(links.join(' ')), 'refused')
    assert.equal(await send(links.slice(1).join(' ')), 'posted')
    await db.updateTable('courses').set({ allows_anonymous: false }).execute()
    assert.equal(await send('Thank you.'), 'refused')
    assert.equal((await replies(db)).length, 1)
  })

  const BETWEEN = {
    'the course is archived': (db: Database) =>
      db.updateTable('courses').set({ archived_at: new Date() }).execute(),
    'the role is taken away': (db: Database) => db.deleteFrom('course_members').execute(),
    'the question is deleted': (db: Database) =>
      db.updateTable('questions').set({ deleted_at: new Date() }).execute(),
    'the question is made private': (db: Database) =>
      db.updateTable('questions').set({ audience: 'staff' }).execute(),
  } as const
  for (const [what, change] of Object.entries(BETWEEN))
    test(`is refused when ${what} while it is taken`, async (t) => {
      const db = await testDatabase(t)
      const course = await aCourse(db, { isPublic: false })
      const follower = await aMember(db, course, 'learner')
      const question = await aQuestion(db, { course })
      await within(db, setFollowing, question.id, follower.id, 'follow')
      const { to } = await answerMail(db, question, follower)
      const { taken } = await db.transaction().execute(async (write) => {
        await write.selectFrom('questions').select('id').forNoKeyUpdate().execute()
        const taken = receive(db, source(follower.email, to, 'Thank you.'))
        await untilWaiting(db)
        await change(write)
        return { taken }
      })
      assert.equal(await taken, 'refused')
      assert.deepEqual(await replies(db), [])
    })

  test('posts of who is anonymous nothing that names them: no quotation, no attachment, no signature', async (t) => {
    const db = await testDatabase(t)
    const asker = await aPerson(db, { displayName: 'Bert Learner', language: 'ko' })
    const question = await aQuestion(db, { course: await anOpenCourse(db), author: asker, isAnonymous: true })
    const { to } = await answerMail(db, question, asker)
    const quoted = `보낸 사람: Handup <${to}>\n보낸 날짜: 2026년 11월 23일 월요일 오전 10:00\n받는 사람: Bert Learner <${asker.email}>\n제목: x`
    const mixed = [
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      `It works.\n\n${quoted}`,
      '--b',
      'Content-Disposition: attachment; filename="Bert_Learner_CV.pdf"',
      '',
      'x',
      '--b--',
    ].join('\r\n')
    const raw = source(asker.email, to, mixed)
      .toString()
      .replace('text/plain; charset=utf-8', 'multipart/mixed; boundary=b')
    assert.equal(await receive(db, Buffer.from(raw)), 'posted')
    for (const own of ['Thank you.\n\nBert Learner\nExample University', `Ask me at ${asker.email}.`])
      assert.equal(await receive(db, source(asker.email, to, own)), 'refused', own)
    assert.deepEqual(await db.selectFrom('replies').select(['body', 'is_anonymous']).execute(), [
      { body: 'It works.', is_anonymous: true },
    ])
    const told = await db.selectFrom('mails').select('text').where('kind', '=', 'answer-refused').execute()
    assert.equal(told.length, 2)
    assert.ok(told.every(({ text }) => text.includes('이름이나 이메일 주소')))
  })

  test('takes the text of HTML, names attachments, and nothing above 64 KB', async (t) => {
    const { db, asker, to } = await aMailed(t)
    const html = (text: string) =>
      Buffer.from(source(asker.email, to, text).toString().replace('text/plain', 'text/html'))
    const body = `<html><head><title>x</title></head><body><p>It <b>works</b>.</p><blockquote>${MARK}<br>quoted</blockquote></body></html>`
    assert.equal(await receive(db, html(body)), 'posted')
    assert.equal(await receive(db, source(asker.email, to, 'word '.repeat(14_000))), 'refused')
    const mixed = [
      '--b',
      'Content-Type: text/plain',
      '',
      'See the picture.',
      '--b',
      'Content-Type: image/png; name="a.png"',
      'Content-Disposition: attachment; filename="a.png"',
      'Content-Transfer-Encoding: base64',
      '',
      'AAAA',
      '--b--',
    ].join('\r\n')
    const raw = source(asker.email, to, mixed)
      .toString()
      .replace('text/plain; charset=utf-8', 'multipart/mixed; boundary=b')
    assert.equal(await receive(db, Buffer.from(raw)), 'posted')
    const bodies = (await replies(db)).map(({ body: written }) => written)
    assert.deepEqual(bodies, [
      'It **works**.',
      'See the picture.\n\n(Sent by email. Attachments not included: a.png)',
    ])
  })

  test('is refused to others, and the owner of the key is told why', async (t) => {
    const { db, asker, question, to } = await aMailed(t)
    const other = await aPerson(db)
    assert.equal(await receive(db, source(other.email, to, 'As somebody else.')), 'refused')
    const forged = ['Authentication-Results: mx.forum.example; dmarc=fail header.from=example.com']
    assert.equal(await receive(db, source(asker.email, to, 'Forged.', forged)), 'refused')
    assert.equal(await receive(db, source(asker.email, to, '')), 'refused')
    await within(db, deleteQuestion, question.id)
    assert.equal(await receive(db, source(asker.email, to, 'Too late.')), 'refused')
    const told = await db
      .selectFrom('mails')
      .select(['recipient', 'kind'])
      .where('kind', '=', 'answer-refused')
      .execute()
    assert.equal(told.length, 4)
    assert.ok(
      told.every(({ recipient }) => recipient === asker.email),
      'nothing goes to a stranger',
    )
    assert.deepEqual(await replies(db), [])
  })

  test('is not for unknown addresses, automatic answers, lists or loops', async (t) => {
    const { db, asker, to } = await aMailed(t)
    for (const header of [
      'Auto-Submitted: auto-replied',
      'Precedence: bulk',
      'X-Autoreply: yes',
      'List-Id: <x.example>',
      'Return-Path: <>',
    ])
      assert.equal(await receive(db, source(asker.email, to, 'I am away.', [header])), 'automatic', header)
    assert.equal(await receive(db, source(asker.email, to.replace(/\w@/, 'x@'), 'Unknown.')), 'unknown')
    assert.equal(await receive(db, source(asker.email, 'reply@forum.example', 'No key.')), 'unknown')
    assert.deepEqual(await replies(db), [])
  })

  test('three reports in a row that mail came back stop mail to that address', async (t) => {
    const { db, asker, question, mail } = await aMailed(t)
    const keys = [mail.key]
    for (let count = 0; count < 2; count += 1) {
      await anAnswer(db, { question })
      await mailDue(db, FAILS, OPTIONS)
    }
    const mails = await db
      .selectFrom('mails')
      .select('key')
      .where('person_id', '=', asker.id)
      .orderBy('id')
      .execute()
    keys.push(...mails.slice(1).map(({ key }) => key))
    await setRows(db, 'mails', { person_id: asker.id }, { sent_at: new Date() })
    for (const key of keys) {
      const parts = [
        ...['--r', 'Content-Type: message/delivery-status', '', 'Action: failed', ''],
        '--r',
        'Content-Type: message/rfc822-headers',
        '',
        `Message-ID: <${key}@forum.example>`,
        '--r--',
      ]
      const raw = source('mailer-daemon@mx.example', 'reply@forum.example', parts.join('\r\n'))
      const report = raw
        .toString()
        .replace('text/plain; charset=utf-8', 'multipart/report; report-type=delivery-status; boundary=r')
      assert.equal(await receive(db, Buffer.from(report)), 'returned')
    }
    const { mail_stopped_for } = await db
      .selectFrom('people')
      .select('mail_stopped_for')
      .where('id', '=', asker.id)
      .executeTakeFirstOrThrow()
    assert.equal(mail_stopped_for, asker.email)
  })
})

test('a mail that is made to be slow to read is not read to its end', async () => {
  const mail = (type: string, body: string) =>
    readMail(Buffer.from(`From: a@example.com\nContent-Type: ${type}\n\n${body}`))
  await assert.rejects(mail('text/html', '<blockquote>'.repeat(5000)), /timed out|call stack/)
  const long = await mail('text/plain', 'Op x\nschreef\n'.repeat(20_000))
  assert.equal(long.text.length, 128 * 1024)
})

test('a mail whose Message-ID names nothing is none that came before', async () => {
  for (const id of ['', '<>', '< >', '<\0@example.com>']) {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((body) =>
        readMail(Buffer.from(`From: a@example.com\nMessage-ID: ${id}\n\n${body}`)),
      ),
    )
    assert.match(one?.messageId ?? '', /^[0-9a-f]{64}$/)
    assert.notEqual(one?.messageId, other?.messageId)
  }
})

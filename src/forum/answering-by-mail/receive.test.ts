import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { Database, Write } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import type { PersonOptions } from '../../testing/people.ts'
import { deleteQuestion, type QuestionOptions } from '../../testing/posts.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { setFollowing } from '../follows/following.ts'
import { MAILING, mailsTo, writeMails } from '../mailing/testing.ts'
import { readMail } from './read-mail.ts'
import { receiveMail } from './receive.ts'

const SETTINGS = { ...MAILING, replyAddress: 'reply@forum.example' }
const FORUM = { ...SETTINGS, keys: [MAILING.secret] as const, log: () => undefined }
const MARK = translatorOf('en')('mailing.answer')
let made = 0

/** The email to a person about a new answer to the question. */
async function answerMail(db: Database, question: MadeQuestion, person: { readonly id: number }) {
  const answer = await anAnswer(db, { question })
  await writeMails(db, SETTINGS)
  const [mail = assert.fail()] = await mailsTo(db, person)
  return { answer, mail, to: mail.headers['Reply-To'] ?? '' }
}

/** An asker who was emailed about an answer, and the address to reply to. */
async function aMailed(
  t: TestContext,
  { isAnonymous = false, ...person }: PersonOptions & Pick<QuestionOptions, 'isAnonymous'> = {},
) {
  const db = await testDatabase(t)
  const [asker, course] = [await aPerson(db, person), await aCourse(db)]
  await setRows(db, 'courses', course.id, { allows_anonymous: true })
  const question = await aQuestion(db, { course, author: asker, isAnonymous })
  const told = await answerMail(db, question, asker)
  const send = (text: string, headers?: readonly string[]) =>
    receive(db, source(asker.email, told.to, text, headers))
  return { db, asker, course, question, ...told, send }
}

function source(from: string, to: string, text: string, headers: readonly string[] = []): Buffer {
  made += 1
  const addresses = [`From: <${from}>`, `To: <${to}>`, 'Subject: Re: x', `Message-ID: <m${made}@x.example>`]
  const lines = [...addresses, ...headers, 'Content-Type: text/plain; charset=utf-8', '', text]
  return Buffer.from(lines.join('\r\n'))
}

/** The same with another type of its content, as text of that type. */
const ofType = (type: string, from: string, to: string, text: string) =>
  Buffer.from(String(source(from, to, text)).replace('text/plain; charset=utf-8', type))

const receive = async (db: Database, raw: Buffer) => receiveMail(db, FORUM, await readMail(raw))
const replies = (db: Database) => rowsOf(db, 'replies', {})

suite('answering by mail', () => {
  test('posts nothing in a course that is archived', async (t) => {
    const { db, course, send } = await aMailed(t)
    await setRows(db, 'courses', course.id, { archived_at: new Date() })
    assert.equal(await send('One more thing.'), 'refused')
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
    const [{ body, author_id, answer_id } = assert.fail(), ...more] = await replies(db)
    assert.deepEqual([body, author_id, answer_id], ['Thank you, that **helps**.', asker.id, answer.id])
    assert.deepEqual(more, [])
  })

  test('believes no mail that names two senders, in two headers or in one', async (t) => {
    const { db, asker, to } = await aMailed(t)
    const own = `<${asker.email}>`
    const header = (...from: string[]) => {
      const senders = from.map((one) => `From: ${one}`).join('\r\n')
      return Buffer.from(String(source(asker.email, to, 'Thank you.')).replace(/^From: .*$/m, senders))
    }
    const other = '<other@evil.example>'
    for (const raw of [
      ...[header(own, other), header(other, own), header(`${own}, ${other}`)],
      ...[header(`Both: ${own}, ${other};`), header(own, own)],
    ])
      assert.equal(await receive(db, raw), 'refused', String(raw).split('\r\n\r\n')[0])
    assert.deepEqual(await replies(db), [])
    assert.equal(await receive(db, header(`"Learner, A." ${own}`)), 'posted')
  })

  test('keeps who is anonymous in the thread anonymous', async (t) => {
    const { db, asker, send } = await aMailed(t, { isAnonymous: true })
    assert.equal(await send('Thank you.'), 'posted')
    assert.equal((await rowOf(db, 'replies', { author_id: asker.id })).is_anonymous, true)
  })

  test('posts of staff nothing anonymous, whoever they were in the thread before', async (t) => {
    const { db, course, asker, send } = await aMailed(t, { isAnonymous: true })
    await aMember(db, course, 'assistant', asker)
    assert.equal(await send('Thank you.'), 'refused')
    assert.deepEqual(await replies(db), [])
  })

  test('is refused as the form is: newcomers’ links, and a course that takes nothing anonymous any more', async (t) => {
    const { db, asker, course, send } = await aMailed(t, { isAnonymous: true })
    await setRows(db, 'people', asker.id, { new_until: new Date(Date.now() + 60_000) })
    const links = Array.from({ length: 6 }, (_, at) => `https://x${at}.example/`)
    assert.equal(await send(links.join(' ')), 'refused')
    assert.equal(await send(links.slice(1).join(' ')), 'posted')
    await setRows(db, 'courses', course.id, { allows_anonymous: false })
    assert.equal(await send('Thank you.'), 'refused')
    assert.equal((await replies(db)).length, 1)
  })

  const BETWEEN: Readonly<Record<string, (write: Write) => Promise<unknown>>> = {
    'the course is archived': (write) => setRows(write, 'courses', {}, { archived_at: new Date() }),
    'the role is taken away': (write) => write.deleteFrom('course_members').execute(),
    'the question is deleted': (write) => setRows(write, 'questions', {}, { deleted_at: new Date() }),
    'the question is made private': (write) => setRows(write, 'questions', {}, { audience: 'staff' }),
  }
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
    const bert = { displayName: 'Bert Learner', language: 'ko', isAnonymous: true } as const
    const { db, asker, to, send } = await aMailed(t, bert)
    const quoted = `보낸 사람: Handup <${to}>\n보낸 날짜: 2026년 11월 23일 월요일 오전 10:00\n받는 사람: Bert Learner <${asker.email}>\n제목: x`
    const mixed = [
      ...['--b', 'Content-Type: text/plain; charset=utf-8', '', `It works.\n\n${quoted}`],
      ...['--b', 'Content-Disposition: attachment; filename="Bert_Learner_CV.pdf"', '', 'x', '--b--'],
    ].join('\r\n')
    assert.equal(await receive(db, ofType('multipart/mixed; boundary=b', asker.email, to, mixed)), 'posted')
    for (const own of ['Thank you.\n\nBert Learner\nExample University', `Ask me at ${asker.email}.`])
      assert.equal(await send(own), 'refused', own)
    const [{ body, is_anonymous: isHidden } = assert.fail(), ...more] = await rowsOf(db, 'replies', {})
    assert.deepEqual([body, isHidden, more], ['It works.', true, []])
    const told = await rowsOf(db, 'mails', { kind: 'answer-refused' })
    assert.equal(told.length, 2)
    assert.ok(told.every(({ text }) => text.includes('이름이나 이메일 주소')))
  })

  test('takes the text of HTML, names attachments, and nothing above 64 KB', async (t) => {
    const { db, asker, to, send } = await aMailed(t)
    const body = `<html><head><title>x</title></head><body><p>It <b>works</b>.</p><blockquote>${MARK}<br>quoted</blockquote></body></html>`
    assert.equal(await receive(db, ofType('text/html; charset=utf-8', asker.email, to, body)), 'posted')
    assert.equal(await send('word '.repeat(14_000)), 'refused')
    const mixed = [
      ...['--b', 'Content-Type: text/plain', '', 'See the picture.', '--b'],
      ...['Content-Type: image/png; name="a.png"', 'Content-Disposition: attachment; filename="a.png"'],
      ...['Content-Transfer-Encoding: base64', '', 'AAAA', '--b--'],
    ].join('\r\n')
    assert.equal(await receive(db, ofType('multipart/mixed; boundary=b', asker.email, to, mixed)), 'posted')
    const named = 'See the picture.\n\n(Sent by email. Attachments not included: a.png)'
    assert.deepEqual(valuesOf(await replies(db), 'body'), ['It **works**.', named])
  })

  test('is refused to others, and the owner of the key is told why', async (t) => {
    const { db, asker, question, to, send } = await aMailed(t)
    const other = await aPerson(db)
    assert.equal(await receive(db, source(other.email, to, 'As somebody else.')), 'refused')
    const forged = ['Authentication-Results: mx.forum.example; dmarc=fail header.from=example.com']
    assert.equal(await send('Forged.', forged), 'refused')
    assert.equal(await send(''), 'refused')
    await within(db, deleteQuestion, question.id)
    assert.equal(await send('Too late.'), 'refused')
    const told = await rowsOf(db, 'mails', { kind: 'answer-refused' })
    assert.equal(told.length, 4)
    assert.ok(!told.some(({ recipient }) => recipient !== asker.email), 'nothing goes to a stranger')
    assert.deepEqual(await replies(db), [])
  })

  test('is not for unknown addresses, automatic answers, lists or loops', async (t) => {
    const { db, asker, to, send } = await aMailed(t)
    for (const header of [
      ...['Auto-Submitted: auto-replied', 'Precedence: bulk', 'X-Autoreply: yes'],
      ...['List-Id: <x.example>', 'Return-Path: <>'],
    ])
      assert.equal(await send('I am away.', [header]), 'automatic', header)
    for (const unknown of [to.replace(/\w@/, 'x@'), 'reply@forum.example'])
      assert.equal(await receive(db, source(asker.email, unknown, 'Unknown.')), 'unknown', unknown)
    assert.deepEqual(await replies(db), [])
  })

  test('three reports in a row that mail came back stop mail to that address', async (t) => {
    const { db, asker, question } = await aMailed(t)
    for (const _more of [1, 2]) await answerMail(db, question, asker)
    await setRows(db, 'mails', { person_id: asker.id }, { sent_at: new Date() })
    for (const { key } of await mailsTo(db, asker)) {
      const parts = [
        ...['--r', 'Content-Type: message/delivery-status', '', 'Action: failed', ''],
        ...['--r', 'Content-Type: message/rfc822-headers', '', `Message-ID: <${key}@forum.example>`, '--r--'],
      ].join('\r\n')
      const type = 'multipart/report; report-type=delivery-status; boundary=r'
      const report = ofType(type, 'mailer-daemon@mx.example', 'reply@forum.example', parts)
      assert.equal(await receive(db, report), 'returned')
    }
    assert.equal((await rowOf(db, 'people', asker.id)).mail_stopped_for, asker.email)
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
    const read = (body: string) => readMail(Buffer.from(`From: a@example.com\nMessage-ID: ${id}\n\n${body}`))
    const [one, other] = [await read('one'), await read('other')]
    assert.match(one.messageId, /^[0-9a-f]{64}$/)
    assert.notEqual(one.messageId, other.messageId)
  }
})

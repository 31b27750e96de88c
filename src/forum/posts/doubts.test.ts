import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { aProgram } from '../../doors/api/testing.ts'
import type { Careful } from '../../kernel/operation.ts'
import { act } from '../../testing/act.ts'
import { atEnd } from '../../testing/at-end.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import {
  aCourse,
  aMember,
  aNewcomer,
  anAnswer,
  aPerson,
  aQuestion,
  type MadePerson,
} from '../../testing/builders.ts'
import { aForum, sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { questionPath } from '../../web/paths.ts'
import { createServer } from '../../web/transport/node-http.ts'
import { makeReplyAddress } from '../answering-by-mail/keys.ts'
import { readMail } from '../answering-by-mail/read-mail.ts'
import { receiveMail } from '../answering-by-mail/receive.ts'
import { reporting } from '../cases/report.ts'
import type { Subject } from '../cases/subject.ts'
import { TEXT_EDITS } from './text-edit.ts'

const CAREFUL = { sendsMail: false }

const heldFor = async (db: Database, questionId: number) =>
  (await rowsOf(db, 'answers', { question_id: questionId })).map((row) => row.held_for)

suite('a field that people don’t see', () => {
  const forum = sharedForum({ careful: CAREFUL })

  test('holds what a stranger posts where it is filled, and nothing of anyone else', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const stranger = await signedIn(forum.app, await aNewcomer(db))
    const page = await stranger.get(questionPath(question))
    assert.match(
      page.body,
      /aria-hidden="true"[^<]*>[^<]*<input type="text" name="topic_note" tabindex="-1" autocomplete="off"/,
    )
    const path = `/questions/${question.id}/answers`
    assert.equal((await stranger.post(path, { body: 'By a program.', topic_note: 'x' })).statusCode, 303)
    await stranger.post(path, { body: 'By a person.', topic_note: '' })
    const member = await signedIn(forum.app, await aMember(db, { id: question.courseId }, 'learner'))
    await member.post(path, { body: 'By a password manager.', topic_note: 'x' })
    assert.deepEqual(await heldFor(db, question.id), ['hidden-field', null, null])
  })

  test('in sign-up holds what the account posts while it is a stranger’s', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const browser = visitor(forum.app)
    const name = { display_name: 'Robin', email: 'robin@example.org', topic_note: 'x' }
    assert.match((await browser.get('/sign-up')).body, /name="topic_note"/)
    await browser.post('/sign-up', { ...name, password: 'a long and unguessable one' })
    await browser.post(`/questions/${question.id}/answers`, { body: 'Looks like any other.' })
    assert.deepEqual(await heldFor(db, question.id), ['hidden-field'])
    await setRows(db, 'courses', question.courseId, { hold: 'none' })
    await browser.post(`/questions/${question.id}/answers`, { body: 'Where nothing is held.' })
    assert.deepEqual(await heldFor(db, question.id), ['hidden-field', null])
  })
})

suite('reports by members of standing', () => {
  const forum = sharedForum({ careful: CAREFUL })

  async function aScene() {
    const { db } = forum
    const course = await aCourse(db)
    const question = await aQuestion(db, { course })
    const answer = await anAnswer(db, { question, author: await aNewcomer(db) })
    const aReporter = async ({ isGiven = true, isOld = true } = {}) => {
      const person = await aPerson(db)
      if (isGiven) await aMember(db, course, 'learner', person)
      if (isOld) await setRows(db, 'people', person.id, { joined_at: sql`now() - interval '8 days'` })
      return person
    }
    const report = (
      actor: MadePerson | null,
      network: string,
      careful: Careful = { ...CAREFUL, network },
      key: Subject = { about: 'answer', id: answer.id },
    ) => act(forum, reporting, { actor, key, input: { reason: 'spam', language: 'en' }, careful })
    const isHeld = async () => (await rowOf(db, 'answers', answer.id)).held_for
    return { db, course, question, answer, aReporter, report, isHeld }
  }

  test('hold a stranger’s post with the third, if they aren’t of one network, and staff decide', async () => {
    const { db, course, aReporter, report, isHeld } = await aScene()
    for (let count = 0; count < 3; count += 1) await report(await aReporter(), '192.0.2.0')
    assert.equal(await isHeld(), null)
    const outcome = await report(await aReporter(), '198.51.100.0')
    assert.equal(await isHeld(), 'reports')
    assert.deepEqual([outcome.outcome, outcome.heldIn], ['sent', course.slug])
    const noted = await rowsOf(db, 'audit', { course_id: course.id })
    assert.partialDeepStrictEqual(noted, [{ act: 'post-held', actor_id: null }])
    assert.equal(noted.length, 1)
  })

  test('don’t hold it by the count of strangers, new accounts and visitors, of members’ posts, or where none is held', async () => {
    const few = await aScene()
    await few.report(await few.aReporter(), '192.0.2.0')
    await few.report(await few.aReporter({ isGiven: false }), '198.51.100.0')
    await few.report(await few.aReporter({ isOld: false }), '203.0.113.0')
    await few.report(null, '203.0.113.9')
    assert.equal(await few.isHeld(), null)
    for (const spared of ['member', 'course', 'relaxed']) {
      const { db, course, answer, aReporter, report, isHeld } = await aScene()
      if (spared === 'member') await setRows(db, 'people', answer.authorId, { new_until: null })
      if (spared === 'course') await setRows(db, 'courses', course.id, { hold: 'none' })
      for (const network of ['192.0.2.0', '198.51.100.0', '203.0.113.0'])
        await report(await aReporter(), network, spared === 'relaxed' ? null : undefined)
      assert.equal(await isHeld(), null, spared)
    }
  })

  test('of a question leave its reporter in the course', async () => {
    const { db, course, aReporter, report } = await aScene()
    const question = await aQuestion(db, { course, author: await aNewcomer(db) })
    for (const network of ['192.0.2.0', '198.51.100.0'])
      await report(await aReporter(), network, undefined, { about: 'question', id: question.id })
    const third = await signedIn(forum.app, await aReporter())
    const sent = await third.post(`/questions/${question.id}/reports`, { reason: 'spam', note: '' })
    assert.equal(sent.headers.location, `/courses/${course.slug}`)
    assert.equal((await rowOf(db, 'questions', question.id)).held_for, 'reports')
    assert.equal((await third.get(`/questions/${question.id}`)).statusCode, 404)
  })
})

suite('a spam check of the operator’s', () => {
  async function aForumWithCheck(t: TestContext) {
    const asked: Record<string, unknown>[] = []
    const check = { answer: '{"verdict":"spam"}' as string | null, key: '' }
    const server = createServer((request, reply) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        asked.push(JSON.parse(Buffer.concat(parts).toString()))
        check.key = request.headers.authorization ?? ''
        if (check.answer === null) reply.writeHead(500).end()
        else reply.end(check.answer)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atEnd(t, async () => void server.close())
    const { port } = server.address() as AddressInfo
    const forum = await aForum(t, { careful: CAREFUL, spamUrl: `http://a%2Fkey@127.0.0.1:${port}/check` })
    return { ...forum, asked, check }
  }

  test('gets the text of a stranger’s public post alone, and what it doubts waits', async (t) => {
    const { app, db, asked, check } = await aForumWithCheck(t)
    const question = await aQuestion(db)
    const mentioned = await aMember(db, { id: question.courseId }, 'learner')
    const stranger = await aNewcomer(db)
    const browser = await signedIn(app, stranger)
    const body = `See <https://shop.example/?a=1&b=2>, @[${mentioned.displayName}](person:${mentioned.id}).`
    await browser.post(`/questions/${question.id}/answers`, { body })
    const text = 'See <https://shop.example/?a=1&b=2>, @someone.'
    const links = ['https://shop.example/?a=1&b=2']
    assert.deepEqual(asked, [{ kind: 'answer', title: '', body: text, language: 'en', links }])
    assert.equal(check.key, 'Bearer a/key')
    assert.deepEqual(await heldFor(db, question.id), ['service'])
    check.answer = '{"verdict":"ham"}'
    await browser.post(`/questions/${question.id}/answers`, { body: 'Harmless.' })
    check.answer = '{"verdict":"hold"}'
    const [, harmless] = await rowsOf(db, 'answers', { question_id: question.id })
    await act({ db }, TEXT_EDITS.answers, {
      ...{ actor: stranger, key: harmless?.id ?? 0, careful: CAREFUL },
      input: { body: 'Not harmless any more.', version: 1 },
    })
    assert.deepEqual((await heldFor(db, question.id)).sort(), ['service', 'service'])
  })

  test('is asked by programs and emails as well', async (t) => {
    const { app, db, asked } = await aForumWithCheck(t)
    const question = await aQuestion(db)
    const stranger = await aNewcomer(db)
    const program = aProgram(app, await aToken({ db }, stranger, ['read', 'write']))
    const sent = await program.send('POST', `/questions/${question.id}/answers`, { body: 'By a program.' })
    assert.deepEqual([sent.statusCode, sent.json().state], [201, 'held'])
    const to = await within(db, makeReplyAddress, 'forum@example.org', stranger.id, question.id, null)
    const mail = Buffer.from(`From: ${stranger.email}\nTo: ${to}\n\nBy email.`)
    const { baseUrl, secretKeys: keys } = { ...app.config, ...app }
    const receiving = { replyAddress: 'forum@example.org', baseUrl, keys, careful: CAREFUL, log: () => {} }
    assert.equal(await receiveMail(db, receiving, await readMail(mail)), 'posted')
    const [reply] = await rowsOf(db, 'replies', { question_id: question.id })
    assert.deepEqual([...(await heldFor(db, question.id)), reply?.held_for], ['service', 'service'])
    const bodies = asked.map(({ body }) => body)
    assert.deepEqual(bodies, ['By a program.', 'By email.'])
  })

  test('isn’t asked about what is private, anonymous or a member’s', async (t) => {
    const { app, db, asked } = await aForumWithCheck(t)
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { allows_private: true, allows_anonymous: true })
    const closed = await aQuestion(db, { course: await aCourse(db, { isPublic: false }) })
    const kept = await aQuestion(db, { course, audience: 'staff' })
    const shown = await aQuestion(db, { course })
    const browser = await signedIn(app, await aNewcomer(db))
    const member = await signedIn(app, await aMember(db, course, 'learner'))
    const title = 'How does it work?'
    await browser.post('/questions', { course: course.slug, title, body: 'Private.', audience: 'staff' })
    await browser.post('/questions', { course: course.slug, title, body: 'Anonymous.', anonymous: '1' })
    await browser.post(`/questions/${kept.id}/answers`, { body: 'Private.' })
    await browser.post(`/questions/${closed.id}/answers`, { body: 'In a private course.' })
    await member.post(`/questions/${shown.id}/answers`, { body: 'By a member.' })
    assert.deepEqual(asked, [])
    await browser.post('/questions', { course: course.slug, title, body: 'Public.' })
    assert.deepEqual(
      asked.map(({ kind, title: sent, body }) => [kind, sent, body]),
      [['question', title, 'Public.']],
    )
  })

  test('that fails says nothing, and isn’t asked for a while after the third time', async (t) => {
    const { app, db, asked, check } = await aForumWithCheck(t)
    const question = await aQuestion(db)
    const browser = await signedIn(app, await aNewcomer(db))
    for (const answer of [null, 'nonsense', '{"verdict":"perhaps"}', '{"verdict":"spam"}']) {
      check.answer = answer
      const body = `The answer is ${answer}.`
      assert.equal((await browser.post(`/questions/${question.id}/answers`, { body })).statusCode, 303)
    }
    assert.deepEqual(await heldFor(db, question.id), [null, null, null, null])
    assert.equal(asked.length, 3)
  })
})

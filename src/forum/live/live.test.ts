import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { testApp, testAppThatHears } from '../../testing/app.ts'
import { type Browser, signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { openEventStream } from '../../testing/event-stream.ts'
import { sharedForumThatHears } from '../../testing/forum.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { setRows } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { until, untilWaiting } from '../../testing/waiting.ts'
import { within } from '../../testing/within.ts'
import { hidePost } from '../posts/removal.ts'

suite('open pages', () => {
  const forum = sharedForumThatHears()

  test('an open page hears how many answers there are, at first and after each new one', async (t) => {
    const { db, app } = forum
    const [question, other] = [await aQuestion(db), await aQuestion(db)]
    await anAnswer(db, { question })
    const reader = await open(t, app, `/live/questions/${question.id}`)
    assert.equal(reader.response.headers['content-type'], 'text/event-stream; charset=utf-8')
    assert.equal(reader.response.headers['cache-control'], 'private, no-store')
    assert.ok(reader.response.headers['content-security-policy'])
    await reader.hears('event: answers\ndata: 1\n\n')
    await anAnswer(db, { question: other })
    await anAnswer(db, { question })
    await reader.hears('event: answers\ndata: 2\n\n')
    assert.doesNotMatch(reader.text(), /event: answers\ndata: [^12]/)
  })

  test('people who open the same question read nothing of it once more until it changes', async (t) => {
    const { db, app, changes } = forum
    const question = await aQuestion(db)
    const path = `/live/questions/${question.id}`
    await changes.caughtUp()
    const opened = async () => (await open(t, app, path)).hears('event: answers\ndata: 0\n\n')
    await opened()
    const statements = recordStatements(t)
    await Promise.all([opened(), opened(), opened()])
    assert.ok(!statements.some((text) => text.includes('"questions"')))
    await anAnswer(db, { question })
    await changes.caughtUp()
    await (await open(t, app, path)).hears('event: answers\ndata: 1\n\n')
  })

  test('an open list hears how many questions of it are new, and which come and go', async (t) => {
    const { db, app } = forum
    const [course, other] = [await aCourse(db, { lectures: ['One', 'Two'] }), await aCourse(db)]
    const [lectureId = 0, otherId = 0] = course.lectureIds
    await aQuestion(db, { course, lectureId })
    const page = (await app.inject(`/courses/${course.slug}?lecture=1&status=unanswered`)).body
    const path = /data-live="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const reader = await open(t, app, path)
    await reader.hears('event: questions\ndata: 0\n\n')

    await aQuestion(db, { course, lectureId: otherId })
    await aQuestion(db, { course: other })
    const question = await aQuestion(db, { course, lectureId })
    await reader.hears('data: 1')
    await aQuestion(db, { course, lectureId })
    await reader.hears('data: 2')
    await within(db, deleteQuestion, question.id)
    await reader.hears('data: 2\n\nevent: questions\ndata: 1\n\n')
    assert.doesNotMatch(reader.text(), /data: [^012]/)

    const late = await open(t, app, path)
    await late.hears('data: 1')
  })

  test('an open list tells nothing of courses that its reader may not read', async (t) => {
    const db = await testDatabase(t)
    const { app } = await testAppThatHears(t, db)
    const [course, other] = [await aCourse(db, { isPublic: false }), await aCourse(db)]
    const reader = await open(t, app, '/live/questions')
    const member = await signedIn(app, await aMember(db, course))
    const ours = await open(t, app, '/live/questions', member)
    await Promise.all([reader.hears('data: 0'), ours.hears('data: 0')])
    await aQuestion(db, { course })
    await ours.hears('data: 1')
    await aQuestion(db, { course: other })
    await reader.hears('data: 1')
    await ours.hears('data: 2')
    const asked = await open(t, app, `/live/questions?course=${course.id}`)
    await asked.hears('data: 0')
    const broken = await open(t, app, '/live/questions?course=x&tag=%00&since=zz&status=y')
    await broken.hears('data: 0')
    await member.post('/sign-out')
    await ours.ends()
  })

  test('a list tells of new questions only where these come to its top', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const livePath = async (path: string) =>
      /data-live="([^"]+)"/.exec((await app.inject(path)).body)?.[1]?.replace(/since=.*/, 'since')
    assert.equal(await livePath('/tags/none'), undefined)
    const course = await aCourse(db)
    assert.equal(await livePath(`/courses/${course.slug}`), `/live/questions?course=${course.id}`)
    await aQuestion(db, { course, tags: ['java'] })
    assert.equal(await livePath('/tags/java'), '/live/questions?tag=1&amp;since')
    for (const sort of ['active', 'votes', 'views'])
      assert.equal(await livePath(`/questions?sort=${sort}`), undefined, sort)
  })

  test('who may not read the question hears nothing, and nobody any more once they may not', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db, { isPublic: false })
    const question = await aQuestion(db, { course })
    const path = `/live/questions/${question.id}`
    assert.equal((await app.inject(path)).statusCode, 404)
    const browser = await signedIn(app, await aMember(db, course))
    const before = cookiesOf(browser)
    const reader = await open(t, app, path, browser)
    await reader.hears('data: 0')
    await browser.post('/sign-out')
    await reader.ends()
    assert.equal((await app.inject({ url: path, headers: before })).statusCode, 404)
  })

  test('what staff hide is heard of no more: of a question by its author alone, of an answer by nobody', async (t) => {
    const { db, app } = forum
    const course = await aCourse(db)
    const [author, classmate] = [await aMember(db, course), await aMember(db, course)]
    const question = await aQuestion(db, { course, author })
    const answer = await anAnswer(db, { question })
    const [own, others] = [await signedIn(app, author), await signedIn(app, classmate)]
    const path = `/live/questions/${question.id}`
    const classmates = await open(t, app, path, others)
    const list = await open(t, app, `/live/questions?course=${course.id}`, others)
    await classmates.hears('data: 1')
    await list.hears('event: questions\ndata: 1')
    await within(db, hidePost, { table: 'answers', id: answer.id })
    await classmates.hears('data: 0')
    await within(db, hidePost, { table: 'questions', id: question.id })
    await classmates.ends()
    assert.equal((await others.get(path)).statusCode, 404)
    const authors = await open(t, app, path, own)
    await authors.hears('data: 0')
    await list.hears('event: questions\ndata: 0')
  })

  test('a right that ends while it is looked up is not had', async (t) => {
    const { db, app, changes } = forum
    const course = await aCourse(db, { isPublic: false })
    const question = await aQuestion(db, { course })
    const person = await aMember(db, course)
    const browser = await signedIn(app, person)
    const path = `/live/questions/${question.id}`
    // Who they are has been asked when the question is looked up, and that waits.
    const { opened } = await db.transaction().execute(async (write) => {
      await sql`lock table questions in access exclusive mode`.execute(write)
      const opened = open(t, app, path, browser)
      await untilWaiting(db)
      await db.deleteFrom('course_members').where('person_id', '=', person.id).execute()
      await changes.caughtUp()
      return { opened }
    })
    const reader = await opened
    await reader.ends()
    assert.doesNotMatch(reader.text(), /answers/)
  })

  test('a stop ends the connections, and does not wait for readers', async (t) => {
    const db = await testDatabase(t)
    const { app } = await testAppThatHears(t, db)
    const question = await aQuestion(db)
    const reader = await open(t, app, `/live/questions/${question.id}`)
    await app.close()
    await reader.ends()
  })

  test('where nobody tells of changes, it ends at once for the browser to ask again', async (t) => {
    const db = await testDatabase(t)
    const app = await testApp(t, db)
    const question = await aQuestion(db)
    const reader = await open(t, app, `/live/questions/${question.id}`)
    await reader.ends()
    assert.match(reader.text(), /^retry: \d{4}\n\n$/)
    const head = { method: 'HEAD', url: `/live/questions/${question.id}` } as const
    for (const asked of ['/live/questions/999', head]) assert.equal((await app.inject(asked)).statusCode, 404)
  })

  test('readers who are told to go and told something in one breath are only told to go', async (t) => {
    const { db, app, changes } = forum
    const question = await aQuestion(db)
    const reader = await open(t, app, `/live/questions/${question.id}`)
    await reader.hears('data: 0')
    await db.transaction().execute(async (write) => {
      await setRows(write, 'courses', question.courseId, { title: 'Another' })
      await setRows(write, 'questions', question.id, { title: 'Another' })
    })
    await reader.ends()
    await changes.caughtUp()
    assert.equal((await app.inject('/healthz')).statusCode, 200)
  })
})

const cookiesOf = ({ cookies }: Browser) => ({
  cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
})

async function open(t: TestContext, app: FastifyInstance, path: string, reader = visitor(app)) {
  const stream = await openEventStream(t, app, path, cookiesOf(reader))
  const { response } = stream
  assert.equal(response.statusCode, 200)
  const hears = (part: string) =>
    until(`the stream has ${JSON.stringify(part)}`, () => stream.text.includes(part))
  const ends = () => until('the stream ends', () => stream.hasEnded)
  return { response, hears, ends, text: () => stream.text }
}

import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { addMember } from '../courses/commands.ts'
import { testApp, testAppThatHears } from '../testing/app.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { untilWaiting } from '../testing/waiting.ts'

test('an open page hears how many answers there are, at first and after each new one', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
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
  assert.doesNotMatch(reader.text(), /data: [^12]/)
})

test('who may not read the question hears nothing, and nobody any more once they may not', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const course = await aCourse(db, { isPublic: false })
  const question = await aQuestion(db, { course })
  const path = `/live/questions/${question.id}`
  assert.equal((await app.inject(path)).statusCode, 404)
  const person = await aPerson(db)
  await db.transaction().execute((write) => addMember(write, course.id, person.id, 'learner'))
  const browser = await signedIn(app, person)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const reader = await open(t, app, path, { cookie })
  await reader.hears('data: 0')
  await browser.post('/sign-out')
  await reader.ended
  assert.equal((await app.inject({ url: path, headers: { cookie } })).statusCode, 404)
})

test('a right that ends while it is looked up is not had', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const course = await aCourse(db, { isPublic: false })
  const question = await aQuestion(db, { course })
  const person = await aMember(db, course)
  const browser = await signedIn(app, person)
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const path = `/live/questions/${question.id}`
  // Who they are has been asked when the question is looked up, and that waits.
  const { opened } = await db.transaction().execute(async (write) => {
    await sql`lock table questions in access exclusive mode`.execute(write)
    const opened = open(t, app, path, { cookie })
    await untilWaiting(db)
    await db.deleteFrom('course_members').where('person_id', '=', person.id).execute()
    await changes.caughtUp()
    return { opened }
  })
  const reader = await opened
  await Promise.race([reader.ended, reader.hears('event: answers')])
  assert.doesNotMatch(reader.text(), /answers/)
})

test('a stop ends the connections, and does not wait for readers', async (t) => {
  const db = await testDatabase(t)
  const { app } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const reader = await open(t, app, `/live/questions/${question.id}`)
  await app.close()
  await reader.ended
})

test('where nobody tells of changes, it ends at once for the browser to ask again', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const question = await aQuestion(db)
  const reader = await open(t, app, `/live/questions/${question.id}`)
  await reader.ended
  assert.match(reader.text(), /^retry: \d{4}\n\n$/)
  assert.equal((await app.inject('/live/questions/999')).statusCode, 404)
  assert.equal((await app.inject({ method: 'HEAD', url: `/live/questions/${question.id}` })).statusCode, 404)
})

test('readers who are told to go and told something in one breath are only told to go', async (t) => {
  const db = await testDatabase(t)
  const { app, changes } = await testAppThatHears(t, db)
  const question = await aQuestion(db)
  const reader = await open(t, app, `/live/questions/${question.id}`)
  await reader.hears('data: 0')
  await db.transaction().execute(async (write) => {
    await write.updateTable('courses').set({ title: 'Another' }).where('id', '=', question.courseId).execute()
    await write.updateTable('questions').set({ title: 'Another' }).where('id', '=', question.id).execute()
  })
  await reader.ended
  await changes.caughtUp()
  assert.equal((await app.inject('/healthz')).statusCode, 200)
})

async function open(t: TestContext, app: FastifyInstance, path: string, headers = {}) {
  if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const request = get({ host: '127.0.0.1', port: address.port, path, headers })
  t.after(() => request.destroy())
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  assert.equal(response.statusCode, 200)
  let text = ''
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const hears = async (part: string) => {
    for (const end = Date.now() + 5000; !text.includes(part); ) {
      if (Date.now() > end) throw new Error(`never heard ${JSON.stringify(part)} in ${JSON.stringify(text)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const ended = new Promise<void>((resolve) => response.once('close', resolve))
  return { response, hears, ended, text: () => text }
}

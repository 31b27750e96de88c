import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { testApp } from '../../testing/app.ts'
import { signedIn, visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { deleteQuestion } from '../../testing/posts.ts'
import { routesOf } from '../../testing/routes-of.ts'
import { within } from '../../testing/within.ts'
import { requestsOf } from './requests-testing.ts'

/** In the title of the deleted question, and nowhere else. */
const WORD = 'zyxburied'

test('the title of a deleted question is in no page, header or redirect', async (t) => {
  const db = await testDatabase(t)
  const app = await testApp(t, db)
  const course = await aCourse(db)
  const [helper, staff] = [await aMember(db, course), await aMember(db, course, 'instructor')]
  const question = await aQuestion(db, { course, title: `About ${WORD}`, tags: ['http'] })
  const answer = await anAnswer(db, { question, author: helper })
  const reply = await aReply(db, { answer, author: helper })
  await within(db, deleteQuestion, question.id)
  const addressed = {
    course: [course.slug],
    tag: ['http'],
    questions: [question.id],
    answers: [answer.id],
    replies: [reply.id],
    people: [helper.id, question.authorId],
  }
  const pages = routesOf(app)
    .filter(({ method, path }) => method === 'GET' && path !== '/live/questions/:id')
    .flatMap((route) => requestsOf(route, addressed))
  for (const reader of [visitor(app), await signedIn(app, helper), await signedIn(app, staff)])
    for (const { url } of pages) assertUntold(await reader.get(url), url)

  const posts = [
    { path: 'edit', fields: { body: 'Edited.', version: '1' } },
    { path: 'edit', fields: { body: '' } },
    { path: 'edit', fields: { body: 'Edited by another.', version: '1' } },
    { path: 'delete', fields: {} },
  ]
  for (const place of [`/replies/${reply.id}`, `/answers/${answer.id}`]) {
    const writer = await signedIn(app, helper)
    const statuses = []
    for (const { path, fields } of posts) {
      const sent = await writer.post(`${place}/${path}`, fields)
      assertUntold(sent, `${place}/${path}`)
      statuses.push(sent.statusCode)
    }
    assert.deepEqual(statuses, [303, 422, 409, 303], place)
  }
})

function assertUntold({ headers, body }: LightMyRequestResponse, place: string): void {
  assert.doesNotMatch(`${JSON.stringify(headers)}\n${body}`, new RegExp(WORD), place)
}

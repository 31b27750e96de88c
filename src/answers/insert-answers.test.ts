import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { recount } from '../database/recount.ts'
import { askQuestion } from '../questions/commands.ts'
import { renderedBody } from '../questions/post-text.ts'
import { aCourse, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { insertAnswers } from './insert-answers.ts'

test('an answer that waits for questions that are asked in its course counts beside them', async (t) => {
  const db = await testDatabase(t)
  const [course, asker, author] = [await aCourse(db), await aPerson(db), await aPerson(db)]
  const question = await aQuestion(db, { course })
  const content = { categoryId: course.categoryId, lectureId: null, title: 'Another', body: 'Why?', tags: [] }
  const asked = { ...content, courseId: course.id, authorId: asker.id }
  const key = randomBytes(32).toString('hex')
  const answer = {
    key,
    personId: author.id,
    questionId: question.id,
    place: '/',
    ...renderedBody('Because.'),
  }
  const { inserting } = await db.transaction().execute(async (write) => {
    await askQuestion(write, asked)
    await askQuestion(write, asked)
    const inserting = insertAnswers(db, [answer], 'patiently')
    await untilWaiting(db)
    return { inserting }
  })
  assert.deepEqual([...(await inserting).keys()], [key])
  assert.deepEqual(await recount(db), [])
})

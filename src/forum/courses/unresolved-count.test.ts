import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { aCourse, anAnswer, aQuestion, type MadeQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText, deleteQuestion } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { setResolution } from '../posts/resolution.ts'
import { editQuestion } from '../questions/commands.ts'

test('a lecture counts its unresolved questions as they are asked, resolved, opened again and deleted', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const lectureId = course.lectureIds[0] ?? 0
  const question = await aQuestion(db, { course, lectureId })
  const other = await aQuestion(db, { course, lectureId })
  await aQuestion(db, { course })
  assert.deepEqual(await unresolved(db), [2, 0])

  await anAnswer(db, { question, isAccepted: true })
  assert.deepEqual(await unresolved(db), [1, 0])
  await within(db, setResolution, question.id, 'unresolved')
  assert.deepEqual(await unresolved(db), [2, 0])
  await within(db, setResolution, question.id, 'resolved')
  await within(db, deleteQuestion, question.id)
  assert.deepEqual(await unresolved(db), [1, 0])
  await within(db, deleteQuestion, other.id)
  assert.deepEqual(await unresolved(db), [0, 0])
  assert.deepEqual(await recount(db), [])
})

/** A course with two lectures, and questions moved between them; null: to none. */
async function aCourseOfTwo(t: TestContext) {
  const db = await testDatabase(t)
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const content = { title: 'Moved', body: await aText('Moved'), tags: [], categoryId: course.categoryId }
  const move = ({ id, authorId: actorId }: MadeQuestion, lectureId: number | null, version = 1) =>
    within(db, editQuestion, id, { ...content, lectureId }, { actorId, version })
  const [first = 0, second = 0] = course.lectureIds
  return { db, course, move, first, second }
}

test('a question that moves to another lecture is counted there, an unresolved one alone', async (t) => {
  const { db, course, move, first, second } = await aCourseOfTwo(t)
  const question = await aQuestion(db, { course, lectureId: first })
  const resolved = await aQuestion(db, { course, lectureId: first, status: 'resolved' })
  for (const moved of [question, resolved]) await move(moved, second)
  assert.deepEqual(await unresolved(db), [0, 1])
  await move(question, null, 2)
  assert.deepEqual(await unresolved(db), [0, 0])
  assert.deepEqual(await recount(db), [])
})

test('questions that move in opposite directions at once do not deadlock', async (t) => {
  const { db, course, move } = await aCourseOfTwo(t)
  const questions = await Promise.all(
    course.lectureIds.flatMap((lectureId) => [1, 2, 3].map(() => aQuestion(db, { course, lectureId }))),
  )
  for (const [edits, turn] of [1, 0, 1].entries())
    await Promise.all(
      questions.map((question, index) =>
        move(question, course.lectureIds[(index + turn) % 2] ?? 0, edits + 1),
      ),
    )
  assert.deepEqual(await recount(db), [])
})

async function unresolved(db: Database): Promise<number[]> {
  const lectures = await db.selectFrom('lectures').select('unresolved_count').orderBy('position').execute()
  return lectures.map((lecture) => lecture.unresolved_count)
}

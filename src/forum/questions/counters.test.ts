import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recount } from '../../database/recount.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { aText } from '../../testing/posts.ts'
import { within } from '../../testing/within.ts'
import { editQuestion } from './commands.ts'

const TAGS = ['java', 'rest', 'json', 'http']

/** After any acts in any order: desk/any-order.test.ts. */
suite('counters', () => {
  test('are right after questions exchanged their tags and lectures at the same time', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { lectures: ['One', 'Two'] })
    const [one = 0, two = 0] = course.lectureIds
    const places = [
      { lectureId: one, tags: ['java', 'http'] },
      { lectureId: two, tags: ['rest', 'json'] },
    ]
    const questions = await Promise.all(
      Array.from({ length: 20 }, (_, number) => aQuestion(db, { course, ...places[number % 2] })),
    )
    for (let round = 1; round <= 5; round += 1) {
      const edits = questions.map(async ({ id, title, authorId }, number) => {
        const place = places[(number + round) % 2] ?? assert.fail()
        const content = { title, body: await aText('Moved.'), categoryId: course.categoryId, ...place }
        assert.equal(
          await within(db, editQuestion, id, content, { actorId: authorId, version: round }),
          'done',
        )
      })
      await Promise.all(edits)
    }
    assert.deepEqual(await recount(db), [])
  })

  test('of everything that hangs on a question follow when its row is deleted', async (t) => {
    const db = await testDatabase(t)
    const course = await aCourse(db, { lectures: ['One'] })
    const lectureId = course.lectureIds[0] ?? 0
    const question = await aQuestion(db, { course, lectureId, tags: TAGS, answers: 2 })
    await aQuestion(db, { course, tags: TAGS })
    await db.deleteFrom('questions').where('id', '=', question.id).execute()
    assert.deepEqual(await recount(db), [])
    const courses = await db.selectFrom('courses').select('questions_count').execute()
    assert.deepEqual(courses, [{ questions_count: 1 }])
  })
})

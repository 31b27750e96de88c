import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../database/schema.ts'
import { postAnswer } from '../forum/answers/operations.ts'
import { allSeen } from '../forum/notifications/operations.ts'
import { allOperations } from '../rooms.ts'
import { signedIn } from '../testing/browser.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { type Operation, operation } from './operation.ts'
import { perform } from './perform.ts'
import { refusal } from './problem.ts'

const SURROUNDINGS = { baseUrl: 'https://forum.example', language: 'en', log: () => undefined } as const

suite('operations', () => {
  const forum = sharedForum()

  /** Changes made while an answer waits for the question's lock, by name, and the refusal that follows. */
  const BETWEEN = {
    'the course is archived': [
      403,
      (db: Database, { courseId }: { courseId: number }) =>
        db.updateTable('courses').set({ archived_at: new Date() }).where('id', '=', courseId).execute(),
    ],
    'the role is taken away': [
      404,
      (db: Database, { personId }: { personId: number }) =>
        db.deleteFrom('course_members').where('person_id', '=', personId).execute(),
    ],
    'the question is made private': [
      404,
      (db: Database, { id }: { id: number }) =>
        db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', id).execute(),
    ],
    'the question is deleted': [
      410,
      (db: Database, { id }: { id: number }) =>
        db.updateTable('questions').set({ deleted_at: new Date() }).where('id', '=', id).execute(),
    ],
  } as const

  for (const [what, [status, change]] of Object.entries(BETWEEN))
    test(`${what} while an answer is being posted: it is refused`, async () => {
      const { app, db } = forum
      const course = await aCourse(db, { isPublic: false })
      const question = await aQuestion(db, { course })
      const person = await aMember(db, course, 'learner')
      const browser = await signedIn(app, person)
      const answer = await db.transaction().execute(async (write) => {
        await write
          .selectFrom('questions')
          .select('id')
          .where('id', '=', question.id)
          .forNoKeyUpdate()
          .execute()
        const answer = browser.post(`/questions/${question.id}/answers`, {
          body: 'It was right a moment ago.',
        })
        await untilWaiting(db)
        await change(write, { id: question.id, courseId: course.id, personId: person.id })
        return { answer }
      })
      assert.equal((await answer.answer).statusCode, status)
      const rows = await db
        .selectFrom('answers')
        .select('id')
        .where('question_id', '=', question.id)
        .execute()
      assert.deepEqual(rows, [])
    })

  test('what an operation notes is logged only when it is done', async () => {
    const { db } = forum
    const person = await aPerson(db)
    const logged: string[] = []
    const surroundings = { ...SURROUNDINGS, log: (name: string) => void logged.push(name) }
    const call = { actor: person, key: null, input: {} }
    // No operation of its own: those are listed for the docs, which other tests of this process compare.
    const noting = (isRefused: boolean): Operation<null, void> => ({
      ...allSeen,
      run: async ({ note }) => {
        note('own-data-taken', {})
        if (isRefused) throw refusal('body', 'forms.tooLong')
      },
    })
    await assert.rejects(perform(db, noting(true), call, surroundings), {
      message: 'body: forms.tooLong',
    })
    assert.deepEqual(logged, [])
    await perform(db, noting(false), call, surroundings)
    assert.deepEqual(logged, ['own-data-taken'])
  })

  test('an operation takes typed values as well as a form’s text', async () => {
    const { db } = forum
    const question = await aQuestion(db)
    const call = {
      actor: await aPerson(db),
      key: question.id,
      input: { body: 'By value. ', anonymous: false },
    }
    const { id } = await perform(db, postAnswer, call, SURROUNDINGS)
    const { body } = await db
      .selectFrom('answers')
      .select('body')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    assert.equal(body, 'By value.')
  })

  test('each operation has one name', () => {
    const names = allOperations().map(({ name }) => name)
    assert.ok(names.includes('post-answer'))
    const twice = allOperations()[0]
    assert.throws(
      () => operation({ ...(twice ?? assert.fail()), find: async () => null, run: async () => null }),
      /two operations/,
    )
  })
})

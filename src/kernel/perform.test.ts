import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Database } from '../database/schema.ts'
import { postAnswer } from '../forum/answers/operations.ts'
import { allSeen } from '../forum/notifications/operations.ts'
import { questionVote } from '../forum/posts/vote.ts'
import { replyToQuestion } from '../forum/replies/operations.ts'
import { allOperations } from '../rooms.ts'
import { act, refusalOf } from '../testing/act.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../testing/builders.ts'
import { sharedForum } from '../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../testing/rows.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { type Operation, operation } from './operation.ts'
import { perform } from './perform.ts'
import { refusal } from './problem.ts'

interface Ids {
  readonly id: number
  readonly courseId: number
  readonly personId: number
}

const SURROUNDINGS = { baseUrl: 'https://forum.example', language: 'en', log: () => undefined } as const

suite('operations', () => {
  const forum = sharedForum()

  /** Changes made while somebody waits for the question's lock, by name, and the refusal that follows. */
  const BETWEEN = {
    'the course is archived': [
      'archived',
      (db: Database, { courseId }: Ids) => setRows(db, 'courses', courseId, { archived_at: new Date() }),
    ],
    'the role is taken away': [
      'notFound',
      (db: Database, { personId }: Ids) =>
        db.deleteFrom('course_members').where('person_id', '=', personId).execute(),
    ],
    'the question is made private': [
      'notFound',
      (db: Database, { id }: Ids) => setRows(db, 'questions', id, { audience: 'staff' }),
    ],
    'the question is deleted': [
      'gone',
      (db: Database, { id }: Ids) => setRows(db, 'questions', id, { deleted_at: new Date() }),
    ],
  } as const

  for (const [what, [refusal, change]] of Object.entries(BETWEEN))
    test(`${what} while somebody answers, replies or votes: it is refused`, async () => {
      const { db } = forum
      const course = await aCourse(db, { isPublic: false })
      const input = { body: 'It was right a moment ago.', value: true }
      for (const doing of [postAnswer, replyToQuestion, questionVote]) {
        const { id } = await aQuestion(db, { course })
        const actor = await aMember(db, course, 'learner')
        const { told } = await db.transaction().execute(async (write) => {
          await write.selectFrom('questions').select('id').where('id', '=', id).forNoKeyUpdate().execute()
          const told = refusalOf(forum, doing, { actor, key: id, input })
          await untilWaiting(db)
          await change(write, { id, courseId: course.id, personId: actor.id })
          return { told }
        })
        assert.equal(await told, refusal, doing.name)
        await setRows(db, 'courses', course.id, { archived_at: null })
        for (const table of ['answers', 'replies', 'question_votes'] as const)
          assert.deepEqual(await rowsOf(db, table, { question_id: id }), [], doing.name)
      }
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
    const { id: key } = await aQuestion(db)
    const input = { body: 'By value. ', anonymous: false }
    const { id } = await act(forum, postAnswer, { actor: await aPerson(db), key, input })
    const { body } = await rowOf(db, 'answers', id)
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

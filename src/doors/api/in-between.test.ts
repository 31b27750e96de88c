import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { aProgram } from './testing.ts'

interface Ids {
  readonly id: number
  readonly courseId: number
  readonly personId: number
}

/** What changes while a program's write waits for the question, by name, and what the program is told then. */
const BETWEEN = {
  'the course is archived': [
    403,
    (db: Database, { courseId }: Ids) =>
      db.updateTable('courses').set({ archived_at: new Date() }).where('id', '=', courseId).execute(),
  ],
  'the role is taken away': [
    404,
    (db: Database, { personId }: Ids) =>
      db.deleteFrom('course_members').where('person_id', '=', personId).execute(),
  ],
  'the question is made private': [
    404,
    (db: Database, { id }: Ids) =>
      db.updateTable('questions').set({ audience: 'staff' }).where('id', '=', id).execute(),
  ],
} as const

suite('programs are refused by what changes while they write', () => {
  const forum = sharedForum()

  for (const [what, [status, change]] of Object.entries(BETWEEN))
    test(`${what}: no answer, no reply, no vote`, async () => {
      const { app, db } = forum
      const writes = {
        answers: [{ body: 'It was right a moment ago.' }, 'POST'],
        replies: [{ body: 'It was right a moment ago.' }, 'POST'],
        vote: [undefined, 'PUT'],
      } as const
      for (const [part, [body, method]] of Object.entries(writes)) {
        const course = await aCourse(db, { isPublic: false })
        const question = await aQuestion(db, { course })
        await anAnswer(db, { question })
        const person = await aMember(db, course, 'learner')
        const program = aProgram(app, await aToken(forum, person, ['read', 'write']))
        const { sent } = await db.transaction().execute(async (write) => {
          await write
            .selectFrom('questions')
            .select('id')
            .where('id', '=', question.id)
            .forNoKeyUpdate()
            .execute()
          const sent = program.send(method, `/questions/${question.id}/${part}`, body)
          await untilWaiting(db)
          await change(write, { id: question.id, courseId: course.id, personId: person.id })
          return { sent }
        })
        assert.equal((await sent).statusCode, status, part)
        const { answers, replies, votes } = await db
          .selectFrom('questions')
          .select('votes_count as votes')
          .select(({ selectFrom, fn }) => [
            selectFrom('answers')
              .select(fn.countAll<number>().as('count'))
              .whereRef('question_id', '=', 'questions.id')
              .as('answers'),
            selectFrom('replies')
              .select(fn.countAll<number>().as('count'))
              .whereRef('question_id', '=', 'questions.id')
              .as('replies'),
          ])
          .where('id', '=', question.id)
          .executeTakeFirstOrThrow()
        assert.deepEqual([Number(answers), Number(replies), votes], [1, 0, 0], part)
      }
    })
})

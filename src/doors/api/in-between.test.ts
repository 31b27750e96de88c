import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { aToken } from '../../accounts/tokens/testing.ts'
import type { Database } from '../../database/schema.ts'
import { aCourse, aMember, aQuestion } from '../../testing/builders.ts'
import { sharedForum } from '../../testing/forum.ts'
import { rowOf, rowsOf, setRows } from '../../testing/rows.ts'
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
    (db: Database, { courseId }: Ids) => setRows(db, 'courses', courseId, { archived_at: new Date() }),
  ],
  'the role is taken away': [
    404,
    (db: Database, { personId }: Ids) =>
      db.deleteFrom('course_members').where('person_id', '=', personId).execute(),
  ],
  'the question is made private': [
    404,
    (db: Database, { id }: Ids) => setRows(db, 'questions', id, { audience: 'staff' }),
  ],
} as const

const POST = { body: 'It was right a moment ago.' }
const WRITES = [
  ['POST', 'answers', POST],
  ['POST', 'replies', POST],
  ['PUT', 'vote', undefined],
] as const

suite('programs are refused by what changes while they write', () => {
  const forum = sharedForum()

  for (const [what, [status, change]] of Object.entries(BETWEEN))
    test(`${what}: no answer, no reply, no vote`, async () => {
      const { app, db } = forum
      for (const [method, part, body] of WRITES) {
        const course = await aCourse(db, { isPublic: false })
        const { id } = await aQuestion(db, { course, answers: 1 })
        const person = await aMember(db, course, 'learner')
        const program = aProgram(app, await aToken(forum, person, ['read', 'write']))
        const { sent } = await db.transaction().execute(async (write) => {
          await write.selectFrom('questions').select('id').where('id', '=', id).forNoKeyUpdate().execute()
          const sent = program.send(method, `/questions/${id}/${part}`, body)
          await untilWaiting(db)
          await change(write, { id, courseId: course.id, personId: person.id })
          return { sent }
        })
        assert.equal((await sent).statusCode, status, part)
        const posts = await Promise.all(
          (['answers', 'replies'] as const).map((table) => rowsOf(db, table, { question_id: id })),
        )
        const { votes_count: votes } = await rowOf(db, 'questions', id)
        assert.deepEqual([...posts.map(({ length }) => length), votes], [1, 0, 0], part)
      }
    })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, type DumpOptions, importDump, skips } from '../../testing/dumps.ts'

test('a second run adds nothing twice and keeps what was changed here; a newer dump adds what is new', async (t) => {
  const db = await testDatabase(t)
  const first: DumpOptions = {
    posts: [aDumpQuestion(), aDumpAnswer()],
    comments: [{ Id: 1, PostId: 2, Text: 'Thanks' }],
  }
  await importDump(t, db, first)
  await db.updateTable('questions').set({ title: 'Changed here' }).execute()
  const again = await importDump(t, db, first)
  assert.deepEqual(
    Object.values(again.counts).map(({ imported }) => imported),
    [0, 0, 0, 0, 0, 0],
  )
  assert.deepEqual(skips(again.counts.people), { 'imported before': 1 })
  await importDump(t, db, {
    ...first,
    posts: [...(first.posts ?? []), aDumpAnswer({ Id: 3, CreationDate: '2019-01-01T00:00:00.000' })],
  })
  const question = await db.selectFrom('questions').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(
    [question.title, question.answers_count, question.active_at],
    ['Changed here', 2, new Date('2019-01-01T00:00:00.000Z')],
  )
  assert.deepEqual(await recount(db), [])
})

test('what is imported is found, also what a newer dump adds to a question', async (t) => {
  const db = await testDatabase(t)
  const posts = [aDumpQuestion({ Body: '<p>About qubits</p>' }), aDumpAnswer({ Body: '<p>Entanglement</p>' })]
  const found = async (lexeme: string) => {
    const { rows } =
      await sql`select from search_documents where ${lexeme} = any(tsvector_to_array(terms))`.execute(db)
    return rows.length
  }
  await importDump(t, db, { posts })
  assert.deepEqual([await found('qubit'), await found('entangl'), await found('decoher')], [1, 1, 0])
  await importDump(t, db, { posts, comments: [{ Id: 1, PostId: 2, Text: 'And decoherence?' }] })
  assert.deepEqual([await found('qubit'), await found('entangl'), await found('decoher')], [1, 1, 1])
})

test('a dump goes into a course that exists, under its own title, and counters are right', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, { posts: [aDumpQuestion({ Id: 1 })] })
  await importDump(t, db, { posts: [aDumpQuestion({ Id: 2 }), aDumpAnswer({ Id: 3, ParentId: 2 })] })
  const courses = await db.selectFrom('courses').selectAll().execute()
  assert.deepEqual(
    courses.map((course) => [course.slug, course.title, course.questions_count, course.unanswered_count]),
    [['physics', 'Physics', 2, 1]],
  )
  assert.deepEqual(await recount(db), [])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Write } from '../../database/schema.ts'
import { recordEvents } from '../../forum/events/testing.ts'
import { lockEvenDeleted } from '../../forum/posts/lock.ts'
import { writeStatus } from '../../forum/posts/resolution.ts'
import { indexQueued } from '../../forum/search/index-question.ts'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, type DumpOptions, importDump, skips } from '../../testing/dumps.ts'
import { deleteAnswer } from '../../testing/posts.ts'
import { columnsOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'

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

test('programs are told of an import once, and of one that brought nothing not at all', async (t) => {
  const db = await testDatabase(t)
  const happened = await recordEvents(db)
  const posts = [aDumpQuestion(), aDumpAnswer()]
  await importDump(t, db, { posts })
  assert.deepEqual(await happened(), ['course.imported'])
  await importDump(t, db, { posts })
  assert.deepEqual(await happened(), [])
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
  await indexQueued(db)
  assert.deepEqual([await found('qubit'), await found('entangl'), await found('decoher')], [1, 1, 1])
})

test('a dump goes into a course that exists, under its own title, and counters are right', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, { posts: [aDumpQuestion({ Id: 1 })] })
  await importDump(t, db, { posts: [aDumpQuestion({ Id: 2 }), aDumpAnswer({ Id: 3, ParentId: 2 })] })
  const courses = await db.selectFrom('courses').selectAll().execute()
  assert.deepEqual(columnsOf(courses, 'slug', 'title', 'questions_count', 'unanswered_count'), [
    ['physics', 'Physics', 2, 1],
  ])
  assert.deepEqual(await recount(db), [])
})

test('a newer dump’s acceptances are taken where nobody decided otherwise, edits and scores are named', async (t) => {
  const db = await testDatabase(t)
  const numbers = [1, 2, 3, 4]
  const posts = (accepted: boolean) => [
    ...numbers.map((Id) => aDumpQuestion({ Id, ...(accepted && { AcceptedAnswerId: Id + 10 }) })),
    ...numbers.map((id) => aDumpAnswer({ Id: id + 10, ParentId: id })),
    aDumpAnswer({ Id: 21, ParentId: 3 }),
  ]
  await importDump(t, db, { posts: posts(false) })
  const idOf = async (source: number) => {
    const { rows } = await sql<{ id: number }>`
      select coalesce(question_id, answer_id) as id from imported_posts where external_id = ${String(source)}`.execute(
      db,
    )
    return rows[0]?.id ?? 0
  }
  // The second was resolved and opened again here, the third has another answer, the answer of the fourth is deleted.
  for (const status of ['resolved', 'unresolved'] as const)
    await db.transaction().execute((write) => setStatus(write, 2, status))
  await db.transaction().execute(async (write) => setStatus(write, 3, 'resolved', await idOf(21)))
  await within(db, deleteAnswer, await idOf(4), await idOf(14))
  const newer = posts(true)
  const changed = { ...newer[4], Score: 40, LastEditDate: '2020-01-01T00:00:00.000' }
  const { notes } = await importDump(t, db, { posts: newer.with(4, changed) })
  const { rows } = await sql<{ status: string; accepted: number | null }>`
    select status, post.external_id::integer as accepted from questions
    left join imported_posts as post on post.answer_id = accepted_answer_id order by questions.id`.execute(db)
  assert.deepEqual(rows, [
    { status: 'resolved', accepted: 11 },
    { status: 'unresolved', accepted: null },
    { status: 'resolved', accepted: 21 },
    { status: 'unresolved', accepted: null },
  ])
  const told = Object.fromEntries(notes)
  assert.equal(told['questions imported before, whose answer was accepted since: taken'], 1)
  assert.equal(
    told['questions imported before, whose accepted answer is another one there: not taken, as decided here'],
    3,
  )
  assert.equal(told['answers imported before, and edited there since: edits are not taken'], 1)
  assert.equal(told['answers imported before, with another score there: scores are not taken'], 1)
  assert.deepEqual(await recount(db), [])

  async function setStatus(
    write: Write,
    source: number,
    status: 'resolved' | 'unresolved',
    answerId?: number,
  ) {
    const question = await lockEvenDeleted(write, await idOf(source))
    await writeStatus(write, question, status, answerId ?? null)
  }
})

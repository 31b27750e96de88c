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
import { columnsOf, valuesOf } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'

test('a question comes with its title, text, tags, counts and times', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, {
    posts: [
      aDumpQuestion({
        Title: 'Can a Turing machine simulate it?',
        Body: '<p>Is <code>a[i]</code> <strong>it</strong>?</p>',
        Tags: '<C#><quantum-gate><a><b><c><d>',
        Score: -3,
        ViewCount: 1163,
        CreationDate: '2018-03-12T17:00:45.567',
        LastEditDate: '2018-03-16T15:40:38.227',
        LastActivityDate: '2018-04-29T21:10:40.053',
      }),
    ],
  })
  const question = await db.selectFrom('questions').selectAll().executeTakeFirstOrThrow()
  assert.equal(question.title, 'Can a Turing machine simulate it?')
  assert.equal(question.body, 'Is `a[i]` **it**?')
  assert.match(question.body_html, /<strong>it<\/strong>/)
  assert.deepEqual(
    [question.votes_count, question.imported_votes_count, question.views_count],
    [-3, -3, 1163],
  )
  assert.deepEqual(
    [question.written_at, question.edited_at, question.active_at],
    [
      new Date('2018-03-12T17:00:45.567Z'),
      new Date('2018-03-16T15:40:38.227Z'),
      new Date('2018-04-29T21:10:40.053Z'),
    ],
  )
  assert.deepEqual([question.status, question.is_imported], ['unresolved', true])
  const tags = await db
    .selectFrom('question_tags')
    .innerJoin('tags', 'tags.id', 'tag_id')
    .select('name')
    .orderBy('position')
    .execute()
  assert.deepEqual(valuesOf(tags, 'name'), ['c#', 'quantum-gate', 'a', 'b', 'c', 'd'])
})

test('tags are read in the newer spelling too', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, { posts: [aDumpQuestion({ Tags: '|rest|http|' })] })
  const tags = await db.selectFrom('tags').select('name').orderBy('name').execute()
  assert.deepEqual(valuesOf(tags, 'name'), ['http', 'rest'])
})

test('an accepted answer resolves its question, even one that stands before it in the file', async (t) => {
  const db = await testDatabase(t)
  await importDump(t, db, {
    posts: [aDumpAnswer({ Id: 2, ParentId: 3, Score: 5 }), aDumpQuestion({ Id: 3, AcceptedAnswerId: 2 })],
  })
  const question = await db.selectFrom('questions').selectAll().executeTakeFirstOrThrow()
  const answer = await db.selectFrom('answers').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([question.status, question.accepted_answer_id], ['resolved', answer.id])
  assert.deepEqual([question.answers_count, answer.votes_count, answer.imported_votes_count], [1, 5, 5])
})

test('comments become replies under the answer or the question, whole however long', async (t) => {
  const db = await testDatabase(t)
  const long = `${'Long. '.repeat(1000)}End`
  await importDump(t, db, {
    posts: [aDumpQuestion(), aDumpAnswer()],
    comments: [
      { Id: 1, PostId: 1, Text: long },
      { Id: 2, PostId: 2, Text: '# not a heading, but *this*' },
    ],
  })
  const replies = await db.selectFrom('replies').selectAll().orderBy('id').execute()
  const answer = await db.selectFrom('answers').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual(columnsOf(replies, 'question_id', 'answer_id'), [
    [answer.question_id, null],
    [answer.question_id, answer.id],
  ])
  assert.equal(replies[0]?.body, long)
  assert.equal(replies[1]?.body_html, '<p># not a heading, but <em>this</em></p>\n')
})

test('the text comes from the latest revision of the source, the title does not', async (t) => {
  const db = await testDatabase(t)
  const revision = (Id: number, PostHistoryTypeId: number, Text: string, day: number) => ({
    Id,
    PostHistoryTypeId,
    PostId: 1,
    Text,
    CreationDate: `2018-03-${day}T00:00:00.000`,
  })
  await importDump(t, db, {
    posts: [aDumpQuestion({ Body: '<p>the <em>last</em> one</p>' })],
    history: [
      revision(1, 2, 'the first one', 12),
      revision(2, 1, 'Another title', 12),
      revision(4, 8, 'the *last* one', 15),
      revision(3, 5, 'the second one', 14),
      revision(5, 10, '{"Voters":[]}', 16),
    ],
  })
  const question = await db.selectFrom('questions').select(['body', 'title']).executeTakeFirstOrThrow()
  assert.deepEqual([question.body, question.title], ['the *last* one', 'Can a machine simulate it?'])
})

test('a question stays unresolved when its accepted answer is not in the dump or is another question’s', async (t) => {
  const db = await testDatabase(t)
  const tally = await importDump(t, db, {
    posts: [
      aDumpQuestion({ Id: 1, AcceptedAnswerId: 99 }),
      aDumpQuestion({ Id: 3, AcceptedAnswerId: 2 }),
      aDumpAnswer({ Id: 2, ParentId: 1 }),
    ],
  })
  const rows = await db.selectFrom('questions').select('status').execute()
  assert.deepEqual(valuesOf(rows, 'status'), ['unresolved', 'unresolved'])
  assert.equal(tally.notes.get('questions unresolved here, as their accepted answer is not in the dump'), 2)
})

test('what is not imported is counted with the reason', async (t) => {
  const db = await testDatabase(t)
  const tally = await importDump(t, db, {
    users: [
      { Id: 7, DisplayName: 'Ada' },
      { Id: 8, DisplayName: 'Silent' },
    ],
    posts: [
      aDumpQuestion(),
      aDumpQuestion(),
      aDumpAnswer({ Id: 2, ParentId: 55 }),
      { Id: 4, PostTypeId: 5, CreationDate: '2018-03-12T17:00:45.567', Body: 'about a tag' },
    ],
    comments: [
      { Id: 1, PostId: 2, Text: 'under an answer without a question' },
      { Id: 2, PostId: 4, Text: 'under a tag wiki' },
      { Id: 3, PostId: 77, Text: 'under nothing' },
      { Id: 4, PostId: 1, Text: ' ' },
    ],
    files: { 'Votes.xml': '<votes/>' },
  })
  const { counts } = tally
  assert.deepEqual(skips(counts.people), { 'wrote nothing': 1 })
  assert.deepEqual(skips(counts.questions), { 'twice in the dump': 1 })
  assert.deepEqual(skips(counts.answers), { 'its question is not in the dump': 1 })
  assert.deepEqual(skips(counts.replies), {
    'its post was not imported': 2,
    'its post is not in the dump': 1,
    'without text': 1,
  })
  assert.deepEqual(skips(counts['other posts']), { 'tag wiki': 1 })
  assert.deepEqual(tally.unread, ['Votes.xml'])
  for (const { read, imported, skipped } of Object.values(counts)) {
    assert.equal(read, imported + [...skipped.values()].reduce((sum, count) => sum + count, 0))
  }
})

test('a title of any length is kept: cut in the title, whole above the text', async (t) => {
  const db = await testDatabase(t)
  const long = `${'Very long *title* '.repeat(10)}end`
  await importDump(t, db, {
    posts: [
      aDumpQuestion({ Id: 1, Title: long }),
      aDumpQuestion({ Id: 2, Title: 'C' }),
      aDumpQuestion({ Id: 3, Title: '' }),
    ],
  })
  const questions = await db.selectFrom('questions').select(['title', 'body_html']).orderBy('id').execute()
  assert.match(questions[0]?.title ?? '', /^Very long .{138,139}…$/)
  assert.ok(questions[0]?.body_html.startsWith(`<p><strong>${long}</strong></p>`))
  assert.deepEqual(
    questions.slice(1).map(({ title }) => title),
    ['C (question 2)', 'Question 3'],
  )
})

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump } from '../../testing/dumps.ts'
import { columnsOf, valuesOf } from '../../testing/rows.ts'

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump, skips } from '../../testing/dumps.ts'
import { valuesOf } from '../../testing/rows.ts'

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

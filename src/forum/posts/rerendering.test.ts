import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { checkPosts } from '../../operating/doctor/contents.ts'
import { anAnswer, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { RENDERER_VERSION } from '../../text/markdown.ts'
import { POST_TABLES } from './kinds.ts'
import { countStale, renderStalePosts, rerender } from './rerendering.ts'

test('posts of an older renderer are rendered again, in every table, and no others', async (t) => {
  const db = await testDatabase(t)
  await aReply(db, { answer: await anAnswer(db, { body: '**new**' }), body: '*new*' })
  await aReply(db)
  for (const table of POST_TABLES) {
    await sql`update ${sql.table(table)} set body_html = 'old',
      renderer_version = case when id = 1 then 0 else ${RENDERER_VERSION} end`.execute(db)
    assert.equal(await countStale(db, table, 'older'), 1)
    const told: number[] = []
    await rerender(db, table, 'older', (posts) => told.push(posts))
    assert.deepEqual(told, [1])
  }
  for (const [table, html] of [
    ['answers', '<p><strong>new</strong></p>\n'],
    ['replies', '<p><em>new</em></p>\n'],
  ] as const) {
    const rows = await rowsOf(db, table, { renderer_version: RENDERER_VERSION })
    assert.deepEqual(valuesOf(rows, 'body_html'), [html, 'old'])
  }
})

test('all posts are rendered again when asked, however many batches they are', async (t) => {
  const db = await testDatabase(t)
  const answer = await anAnswer(db)
  await sql`insert into answers (question_id, author_id, body, body_html, renderer_version)
    select ${answer.question.id}, ${answer.authorId}, 'number ' || n, 'old', ${RENDERER_VERSION}
    from generate_series(1, 250) as n`.execute(db)
  let rendered = 0
  await rerender(db, 'answers', 'all', (posts) => {
    rendered += posts
  })
  assert.equal(rendered, 251)
  assert.deepEqual(await rowsOf(db, 'answers', { body_html: 'old' }), [])
})

test('posts of an older renderer are rendered again while the forum runs, and the doctor tells how far it is', async (t) => {
  const db = await testDatabase(t)
  await aReply(db, { answer: await anAnswer(db) })
  for (const table of POST_TABLES)
    await sql`update ${sql.table(table)} set body_html = 'old', renderer_version = 0`.execute(db)
  assert.equal((await checkPosts(db)).says, 'rendered by an older version: 3 of 3')
  await renderStalePosts(db, () => true)
  assert.equal((await checkPosts(db)).state, 'warning', 'a stop ends it')
  await renderStalePosts(db, () => false)
  assert.equal((await checkPosts(db)).state, 'ok')
})

test('a post that is edited meanwhile keeps what the edit made of it', async (t) => {
  const db = await testDatabase(t)
  const { id } = await anAnswer(db)
  await setRows(db, 'answers', id, { renderer_version: 0 })
  // The edit comes between reading and saving: the connection that reads is held up by nothing else.
  const raced = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (result.rows.some((row) => 'body' in row)) {
        await setRows(db, 'answers', id, { body_html: 'edited', version: 2 })
      }
      return result
    },
  })
  await rerender(raced, 'answers', 'older', () => undefined)
  assert.equal((await rowOf(db, 'answers', id)).body_html, 'edited')
})

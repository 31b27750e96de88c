import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import { columnsOf } from '../../../testing/rows.ts'
import { converted, recognizedBy } from '../imports-testing.ts'
import { CSV } from './csv.ts'

const COLUMNS = [
  ...['topic_id', 'topic_title', 'topic_message', 'topic_author_id', 'topic_author_name', 'topic_created_at'],
  ...['topic_posted_at', 'post_author_id', 'post_author_name', 'post_id', 'post_parent_id', 'post_message'],
  ...['post_likes', 'post_timestamp'],
]

type Row = Readonly<Record<string, string | number>>

/** A post of a topic. */
const aRow = (topic: number, post: number | '', cells: Row = {}): Row => ({
  ...{
    topic_id: topic,
    topic_title: 'Loop?',
    topic_message: '<p>Why?</p>',
    topic_author_id: 4,
    topic_author_name: 'Mina',
  },
  ...{ topic_created_at: '2026-02-01T00:00:00Z', topic_posted_at: '2026-02-01T01:00:00Z' },
  ...{
    post_author_id: 5,
    post_author_name: 'Jun',
    post_id: post,
    post_parent_id: topic,
    post_message: `<p>Post ${post}</p>`,
  },
  ...{ post_likes: 2, post_timestamp: `2026-02-01T02:00:${String(Number(post) % 60).padStart(2, '0')}Z` },
  ...cells,
})

const tableOf = (
  rows: readonly Row[],
  options: { delimiter?: string; columns?: readonly string[] } = {},
) => ({
  'posts.csv': stringify([...rows], {
    header: true,
    columns: [...(options.columns ?? COLUMNS)],
    delimiter: options.delimiter ?? ',',
  }),
})

test('a table of posts becomes questions, answers at the top and replies below, though ids are equal', async (t) => {
  const { lines, asks } = await converted(
    t,
    tableOf([
      aRow(1, 1),
      aRow(1, 2, { post_parent_id: 1 }),
      aRow(1, 3, { post_parent_id: 2, post_author_name: '' }),
      aRow(1, 4, { post_parent_id: 99 }),
      aRow(9, ''),
    ]),
  )
  assert.deepEqual(
    columnsOf(lines.questions, 'id', 'title', 'body', 'written_at', 'author', 'state', 'status'),
    ['1', '9'].map((id) => [
      id,
      'Loop?',
      'Why?',
      '2026-02-01T01:00:00.000Z',
      { person: '4' },
      'held(source)',
      'unresolved',
    ]),
  )
  assert.deepEqual(
    columnsOf(lines.answers, 'id', 'question', 'body', 'votes', 'author'),
    ['1', '2'].map((id) => [id, '1', `Post ${id}`, 2, { person: '5' }]),
  )
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer', 'author'), [
    ['3', '2', { former: '' }],
    ['4', null, { person: '5' }],
  ])
  assert.deepEqual(asks, ['groups'])
  const shown = await converted(t, tableOf([aRow(1, 1)]), { choices: { groups: 'show' } })
  assert.equal(shown.lines.questions[0]?.state, 'shown')
})

const TEXTS: readonly [what: string, message: string, markdown: string][] = [
  [
    'plain, with lines',
    'a < b *c*\nList<String> #3\n\n/questions/12',
    'a < b \\*c\\*\\\nList<String> \\#3\n\n/questions/12',
  ],
  [
    'HTML',
    '<p>a &lt; b <a href="https://x.example/courses/7/discussion_topics/9">c</a></p>',
    'a < b [c](exchange:question/9)',
  ],
  ['Korean', '왜 "그런가요"?', '왜 "그런가요"?'],
]
for (const [what, message, markdown] of TEXTS)
  test(`texts of a table: ${what}`, async (t) => {
    const { lines } = await converted(t, tableOf([aRow(9, 1, { post_message: message })]))
    assert.equal(lines.answers[0]?.body, markdown)
  })

test('a table may have semicolons, UTF-16, other columns and only those that it must have', async (t) => {
  const columns = 'topic_id topic_title post_id post_parent_id post_message post_timestamp colour'.split(' ')
  const { 'posts.csv': text } = tableOf([aRow(9, 1, { post_timestamp: '2026-02-01 02:00', colour: 'red' })], {
    delimiter: ';',
    columns,
  })
  const { lines, notes } = await converted(t, { 'posts.csv': Buffer.from(`\ufeff${text}`, 'utf16le') })
  assert.deepEqual(
    [lines.questions[0]?.written_at, lines.answers[0]?.author],
    ['2026-02-01T02:00:00.000Z', { former: '' }],
  )
  assert.equal(notes['posts.csv: "colour": a member that is not known, left out'], 1)
})

const REFUSED: readonly [what: string, content: string | Uint8Array, message: RegExp][] = [
  ['lacks a column', 'topic_id,topic_title\n1,a', /^posts\.csv, line 1: it has no column post_id$/],
  ['is empty', '', /^posts\.csv, line 1: it is empty$/],
  [
    'has a row of another length',
    `${tableOf([aRow(1, 1)])['posts.csv']}1,2\n`,
    /^posts\.csv, line 3: .*Invalid Record Length/,
  ],
  [
    'has a quote that doesn’t close',
    `${tableOf([])['posts.csv']}"1,2\n`,
    /^posts\.csv, line \d: .*Quote Not Closed/,
  ],
  [
    'has a time that is none',
    tableOf([aRow(1, 1), aRow(1, 2, { post_timestamp: 'now' })])['posts.csv'],
    /^posts\.csv, line 3: post_timestamp: "now" is not a time$/,
  ],
  [
    'has a topic in two places',
    tableOf([aRow(1, 1), aRow(2, 2), aRow(1, 3)])['posts.csv'],
    /^posts\.csv, line 4: the rows of topic 1 are apart: sort the table by topic_id$/,
  ],
  ['is in another encoding', Buffer.from('topic_id,\xb0\xa1', 'latin1'), /isn’t UTF-8 or UTF-16/],
]
for (const [what, content, message] of REFUSED)
  test(`a table of posts that ${what} is refused with its line`, async (t) => {
    await assert.rejects(converted(t, { 'posts.csv': content }, { source: CSV }), { message })
  })

test('tables of posts are told by their columns', async (t) => {
  assert.deepEqual(await recognizedBy(t, tableOf([aRow(1, 1)])), ['csv'])
  assert.deepEqual(await recognizedBy(t, { 'members.csv': 'name,email\n' }), [])
})

test('10,000 posts of a table are read, each a reply to the one before', async (t) => {
  const rows = Array.from({ length: 10_000 }, (_, index) =>
    aRow(20_000, index + 1, index === 0 ? {} : { post_parent_id: index }),
  )
  const { lines } = await converted(t, tableOf(rows))
  assert.deepEqual([lines.answers.length, lines.replies.length], [1, 9_999])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../testing/database.ts'
import { columnsOf, rowOf, rowsOf, valuesOf } from '../../../testing/rows.ts'
import { allSkips, converted, importedInto, recognizedBy } from '../imports-testing.ts'
import { discourseMarkdown } from './discourse-text.ts'

const MEMBERS = { course: 1 }
const AT = '2026-02-01T01:00:00.000Z'
type Given = Readonly<Record<string, unknown>>

const post = (post_number: number, given: Given = {}) => ({
  ...{ id: 100 + post_number, user_id: 7, post_number, raw: `Text ${post_number}`, created_at: AT },
  ...{ reply_to_post_number: null, hidden: false, hidden_reason_id: null, wiki: false, ...given },
})
const topic = (id: number, posts: readonly Given[], given: Given = {}) => ({
  ...{ id, title: `Topic ${id}`, created_at: AT, views: 4, category_id: 5, closed: false, archived: false },
  ...{ archetype: 'regular', posts, ...given },
})
const category = (id: number, given: Given = {}) => ({
  ...{ id, name: `Category ${id}`, slug: `c-${id}`, position: id, permissions_params: MEMBERS, ...given },
})
const USERS = [
  { id: 7, username: 'mina', name: 'Mina Ha', email: 'm@example.org', created_at: AT, trust_level: 1 },
  { id: 8, username: 'jun', name: '', email: 'anon8@anonymized.invalid', created_at: AT, trust_level: 1 },
  { id: 9, username: 'silent', name: 'Silent', email: 's@example.org', created_at: AT, trust_level: 1 },
]

/** A file as Discourse writes it. */
const anExport = (given: Given) => ({
  'category-export.json': { categories: [category(5)], groups: [], topics: [], users: USERS, ...given },
})

test('what posts answer says whether they are answers or replies, and circles end', async (t) => {
  const files = anExport({
    topics: [
      topic(9, [
        post(1),
        post(2),
        post(3, { reply_to_post_number: 1 }),
        post(4, { reply_to_post_number: 2 }),
        post(5, { reply_to_post_number: 4 }),
        // Each answers the other.
        post(6, { reply_to_post_number: 7 }),
        post(7, { reply_to_post_number: 6 }),
        post(8, { reply_to_post_number: 40 }),
        post(9, { raw: ' ' }),
        post(10, { post_type: 3 }),
        post(11, { post_type: 4, raw: 'Among staff' }),
        post(12, { reply_to_post_number: 11, hidden: true }),
        post(12),
      ]),
      topic(10, [post(2)]),
      topic(11, [post(1)], { archetype: 'private_message' }),
    ],
  })
  const { lines, counts } = await converted(t, files)
  assert.deepEqual(columnsOf(lines.questions, 'id', 'title', 'category', 'views', 'state'), [
    ['9', 'Topic 9', '5', 4, 'shown'],
  ])
  assert.deepEqual(columnsOf(lines.answers, 'id', 'question', 'state'), [
    ...['9-2', '9-3', '9-6', '9-8'].map((id) => [id, '9', 'shown']),
    ['9-12', '9', 'hidden'],
  ])
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [
    ['9-4', '9-2'],
    ['9-5', '9-2'],
    ['9-7', '9-6'],
  ])
  assert.deepEqual(allSkips(counts), {
    answers: {
      'without text': 1,
      'small action': 1,
      'whisper among staff': 1,
      'twice in the file': 1,
    },
    questions: { 'its first post is not in the file': 1, 'a message or notice, no topic': 1 },
  })
})

test('authors alone come along, with addresses that are theirs; others are former members', async (t) => {
  const files = anExport({
    topics: [
      topic(9, [
        post(1),
        post(2, { user_id: 8 }),
        post(3, { user_id: -1 }),
        post(4, { user_id: null }),
        post(5, { user_id: 12 }),
      ]),
    ],
  })
  const { lines, text } = await converted(t, files)
  assert.deepEqual(columnsOf(lines.people, 'id', 'name', 'email'), [
    ['7', 'Mina Ha', 'm@example.org'],
    ['8', 'jun', null],
    ['12', 'user12', null],
  ])
  assert.deepEqual(valuesOf(lines.answers, 'author'), [
    { person: '8' },
    { former: 'Former member' },
    { former: 'Former member' },
    { person: '12' },
  ])
  assert.doesNotMatch(text, /Silent|s@example/)
})

const READERS: readonly [what: string, groups: Given | null, state: string][] = [
  ['the same', MEMBERS, 'shown'],
  ['more', { course: 1, guests: 1 }, 'shown'],
  ['everyone', { everyone: 1 }, 'shown'],
  ['everyone, as nothing is said', {}, 'shown'],
  ['a section', { section: 1 }, 'held(source)'],
  ['staff', { staff: 1 }, 'held(source)'],
]
for (const [what, permissions_params, state] of READERS) {
  test(`a topic of a category that ${what} could read is ${state}`, async (t) => {
    const given = anExport({
      categories: [category(5), category(6, { parent_category_id: 5, permissions_params })],
      topics: [topic(9, [post(1)], { category_id: 6 })],
    })
    const { lines, asks } = await converted(t, given)
    assert.deepEqual([lines.questions[0]?.state, asks], [state, state === 'shown' ? undefined : ['groups']])
    const shown = await converted(t, given, { choices: { groups: 'show' } })
    assert.equal(shown.lines.questions[0]?.state, 'shown')
  })
}

test('topics that were closed or archived are closed, as of their last post', async (t) => {
  const later = '2026-03-01T00:00:00.000Z'
  const topics = [
    topic(9, [post(1), post(2, { created_at: later })], { closed: true }),
    topic(10, [post(1)], { archived: true }),
    topic(11, [post(1)]),
  ]
  const { lines } = await converted(t, anExport({ topics }))
  assert.deepEqual(
    lines.questions.map(({ closed }) => closed?.at ?? null),
    [later, AT, null],
  )
})

const TEXTS: readonly [what: string, raw: string, body: string][] = [
  [
    'a quote',
    'So:\n[quote="mina, post:2, topic:9"]\nWhy *me*?\n[/quote]\nBecause.',
    'So:\n\n> [mina](exchange:answer/9-2):\n>\n> Why *me*?\n\nBecause.',
  ],
  [
    'a quote in a quote, and one that says no place',
    '[quote="jun"][quote]a[/quote] b[/quote]',
    '> jun:\n>\n>\n> >\n> > a\n>\n>  b',
  ],
  ['a quote that never ends', '[quote="mina"]\na', '[quote="mina"]\na'],
  ['a quote in code', '```\n[quote]\na\n[/quote]\n```', '```\n[quote]\na\n[/quote]\n```'],
  [
    'links to posts',
    '[a](/t/topic-9/9/2) [b](/t/9) https://forum.example/t/x/9/3 [c](/t/x/77)',
    '[a](exchange:answer/9-2) [b](exchange:question/9) [#3](exchange:reply/9-3) c',
  ],
  ['another site', 'https://meta.example/t/x/9/2', 'https://meta.example/t/x/9/2'],
  ['a file of the site', '![x|690x388, 50%](upload://a.png) [n.pdf|attachment](upload://b.pdf)', 'x n.pdf'],
  ['a picture elsewhere', '<img src="https://e.org/a.png" alt="x" width="3">', '![x](https://e.org/a.png)'],
  ['addresses of an export', '[x](exchange:question/9) @[P](exchange:person/7)', 'x @P'],
  ['Korean, formulas and code', '왜 $x^2$? `[a](/t/9)`', '왜 $x^2$? `[a](/t/9)`'],
]
for (const [what, raw, body] of TEXTS) {
  test(`a text has ${what}`, async (t) => {
    const files = anExport({
      topics: [topic(9, [post(1, { raw }), post(2), post(3, { reply_to_post_number: 2 })])],
    })
    const { lines } = await converted(t, files, { origin: 'https://forum.example' })
    assert.equal(lines.questions[0]?.body, body)
  })
}

test('quotes nest ten deep, and no deeper', () => {
  assert.equal(discourseMarkdown('[quote]'.repeat(20)), '[quote]'.repeat(20))
})

test('broken structure is refused with file, place and reason, and unknown members are counted', async (t) => {
  const broken = anExport({ topics: [topic(9, [post(1)]), topic(10, [{ ...post(1), created_at: 'soon' }])] })
  await assert.rejects(converted(t, broken), {
    message: /^category-export\.json, record 2: posts\.0\.created_at: "soon" is not a time$/,
  })
  const strange = anExport({ topics: [topic(9, [{ ...post(1), colour: 1 }], { shape: 1 })] })
  const { notes } = await converted(t, strange)
  assert.equal(notes['category-export.json: "shape": a member that is not known, left out'], 1)
  assert.equal(notes['category-export.json: posts: "colour": a member that is not known, left out'], 1)
})

test('its files are told by what is in them', async (t) => {
  assert.deepEqual(await recognizedBy(t, anExport({})), ['discourse'])
})

test('an export is imported, for members alone, and once', async (t) => {
  const db = await testDatabase(t)
  const posts = [
    post(1, { raw: '왜 그런가요? 잘 모르겠습니다.' }),
    post(2, { user_id: 8, raw: 'See [it](/t/9), @mina.' }),
    post(3, { reply_to_post_number: 2, hidden: true }),
  ]
  await importedInto(t, db, anExport({ topics: [topic(9, posts)] }))
  const course = await rowOf(db, 'courses', {})
  assert.deepEqual([course.is_public, course.asking, course.language], [false, 'members', 'ko'])
  const question = await rowOf(db, 'questions', {})
  assert.deepEqual([question.title, question.answers_count, question.status], ['Topic 9', 1, 'unresolved'])
  assert.equal((await rowOf(db, 'answers', {})).body, `See [it](/questions/${question.id}), @mina.`)
  assert.equal((await rowOf(db, 'replies', {})).is_shown, false)
  assert.deepEqual(valuesOf(await rowsOf(db, 'people', {}), 'email'), [null, null])
  const later = anExport({ topics: [topic(9, [...posts, post(4)]), topic(10, [post(1)])] })
  const { tally } = await importedInto(t, db, later)
  assert.deepEqual([tally.counts.questions?.imported, tally.counts.answers?.imported], [1, 1])
  assert.equal((await rowsOf(db, 'replies', {})).length, 1)
})

test('10,000 posts of one topic are converted', async (t) => {
  const posts = Array.from({ length: 10_000 }, (_, index) =>
    post(index + 1, { reply_to_post_number: index || null }),
  )
  const { lines } = await converted(t, anExport({ topics: [topic(9, posts)] }))
  assert.deepEqual([lines.answers.length, lines.replies.length], [1, 9998])
})

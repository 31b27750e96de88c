import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skips } from '../../../testing/dumps.ts'
import { columnsOf, valuesOf } from '../../../testing/rows.ts'
import { converted, type ForeignFiles, recognizedBy } from '../imports-testing.ts'
import { CANVAS } from './canvas.ts'

type Members = Readonly<Record<string, unknown>>

const AT = 'https://canvas.example.org/courses/7/discussion_topics'

/** A file of a topic, by its id. */
const aTopic = (id: number, { topic = {}, ...view }: Members & { readonly topic?: Members } = {}) => ({
  topic: {
    ...{
      id,
      title: 'Loop?',
      message: '<p>Why?</p>',
      posted_at: '2026-02-01T01:00:00Z',
      anonymous_state: null,
    },
    ...{ author: { id: 4, display_name: 'Mina' }, attachments: [], html_url: `${AT}/${id}` },
    ...topic,
  },
  view: {
    ...{
      participants: PEOPLE,
      unread_entries: [],
      entry_ratings: {},
      view: [],
      new_entries: [],
    },
    ...view,
  },
})

const PEOPLE = [
  { id: 4, display_name: 'Mina' },
  { id: 5, display_name: 'Jun' },
]

const anEntry = (id: number, members: Members = {}): Members => ({
  ...{ id, user_id: 5, parent_id: null, message: `<p>Entry ${id}</p>` },
  ...{
    created_at: `2026-02-01T02:00:${String(id % 60).padStart(2, '0')}Z`,
    updated_at: '2026-02-01T03:00:00Z',
  },
  ...{ rating_count: 1, rating_sum: 1, replies: [] },
  ...members,
})

test('a topic of Canvas is a question, its entries answers, and what is below them replies by time', async (t) => {
  const { lines, origin, asks } = await converted(t, {
    '9.json': aTopic(9, {
      view: [anEntry(1, { replies: [anEntry(8, { replies: [anEntry(3)] }), anEntry(7)] })],
      new_entries: [anEntry(1), anEntry(2), anEntry(20, { parent_id: 8 }), anEntry(21, { parent_id: 99 })],
    }),
  })
  assert.deepEqual(columnsOf(lines.questions, 'id', 'title', 'body', 'written_at', 'author', 'state'), [
    ['9', 'Loop?', 'Why?', '2026-02-01T01:00:00.000Z', { person: '4' }, 'shown'],
  ])
  assert.deepEqual(columnsOf(lines.answers, 'id', 'votes', 'edited_at'), [
    ['1', 1, null],
    ['2', 1, null],
  ])
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [
    ['7', '1'],
    ['8', '1'],
    ['3', '1'],
    ['20', '1'],
    ['21', null],
  ])
  assert.deepEqual(columnsOf(lines.people, 'id', 'name', 'email'), [
    ['4', 'Mina', null],
    ['5', 'Jun', null],
  ])
  assert.deepEqual([origin, asks], ['https://canvas.example.org/courses/7', []])
})

test('replies of Canvas that are below each other are under the question', async (t) => {
  const { lines } = await converted(t, {
    '9.json': aTopic(9, { new_entries: [anEntry(1, { parent_id: 2 }), anEntry(2, { parent_id: 1 })] }),
  })
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [
    ['1', null],
    ['2', null],
  ])
})

test('deleted entries of Canvas are left out; an answer keeps its place for the replies to it', async (t) => {
  const gone = { deleted: true, user_id: undefined, message: undefined }
  const { lines, counts } = await converted(t, {
    '9.json': aTopic(9, {
      view: [
        anEntry(1, { ...gone, replies: [anEntry(2, { ...gone, replies: [anEntry(3)] })] }),
        anEntry(4, gone),
        anEntry(5, { ...gone, replies: [anEntry(6, gone)] }),
      ],
    }),
  })
  assert.deepEqual(columnsOf(lines.answers, 'id', 'body', 'author'), [['1', '', { former: '' }]])
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [['3', '1']])
  assert.deepEqual(
    [skips(counts.answers), skips(counts.replies)],
    [{ 'deleted there': 2 }, { 'deleted there': 2 }],
  )
})

test('whoever is anonymous in Canvas is no person, in what they edited too', async (t) => {
  const twice = { id: 6, display_name: 'Zyxcanary' }
  const participants = [...PEOPLE, { ...twice, anonymous_id: 'a6' }, twice]
  const { text, lines } = await converted(t, {
    '9.json': aTopic(9, {
      topic: {
        anonymous_state: 'partial_anonymity',
        author: { id: 6, display_name: 'Zyxcanary', anonymous_id: null },
      },
      participants,
      view: [
        anEntry(1, { user_id: 6, editor_id: 6 }),
        anEntry(2, { user_id: undefined, anonymous_id: 'b7' }),
        anEntry(3, { editor_id: 4 }),
        anEntry(4, { editor_id: 6 }),
        anEntry(5, { user_id: 88 }),
      ],
    }),
    '10.json': aTopic(10, {
      topic: { anonymous_state: 'full_anonymity', author: { id: 8, display_name: 'Zyxcanary' } },
      view: [anEntry(11, { user_id: 8 })],
      participants: [{ id: 8, display_name: 'Zyxcanary' }],
    }),
  })
  assert.doesNotMatch(text, /zyxcanary/i)
  const nobody = (number: number) => ({ anonymous: 'everyone', number })
  assert.deepEqual(columnsOf([...lines.questions, ...lines.answers], 'id', 'author'), [
    ['10', nobody(1)],
    ['9', nobody(1)],
    ['11', nobody(1)],
    ['1', nobody(1)],
    ['2', nobody(2)],
    ['3', { person: '5' }],
    ['4', { person: '5' }],
    ['5', { former: '' }],
  ])
  assert.deepEqual(valuesOf(lines.answers, 'editor'), [null, null, null, { person: '4' }, null, null])
})

const WHO: readonly [what: string, topic: Members, state: string, asks: readonly string[]][] = [
  ['of a course', {}, 'shown', []],
  ['of a group', { html_url: 'https://canvas.example.org/groups/3/discussion_topics/9' }, 'held(source)', []],
  ['of a set of groups', { group_category_id: 5 }, 'held(source)', []],
  ['of some sections', { is_section_specific: true }, 'held(source)', []],
  ['that isn’t published', { published: false }, 'held(source)', []],
  ['that is a draft', { posted_at: null, created_at: '2026-02-01T00:00:00Z' }, 'held(source)', []],
  ['that comes later', { delayed_post_at: '2999-01-01T00:00:00Z' }, 'held(source)', []],
  ['whose readers no one knows', { html_url: undefined }, 'held(source)', ['groups']],
]
for (const [what, topic, state, asks] of WHO)
  test(`a topic of Canvas ${what} comes ${state}`, async (t) => {
    const files = { '9.json': aTopic(9, { topic }) }
    const told = await converted(t, files)
    assert.deepEqual([told.lines.questions[0]?.state, told.asks], [state, asks])
    const shown = await converted(t, files, { choices: { groups: 'show' } })
    assert.equal(shown.lines.questions[0]?.state, asks.length > 0 ? 'shown' : state)
  })

test('texts of Canvas lead to its topics and entries; files keep their links', async (t) => {
  const message = `<p><a href="${AT}/10">a</a> <a href="/courses/7/discussion_topics/9?entry_id=1">b</a> <a href="/questions/12">c</a></p>
    <p><img class="equation_image" alt="LaTeX: x" src="https://canvas.example.org/equation_images/x"> \\(x^2\\)</p>`
  const attachment = { url: 'https://canvas.example.org/files/1/download', display_name: 'a & b.pdf' }
  const { lines, counts } = await converted(t, {
    '10.json': aTopic(10),
    '9.json': aTopic(9, { topic: { message }, view: [anEntry(1, { attachment })] }),
  })
  assert.equal(
    lines.questions[1]?.body,
    '[a](exchange:question/10) [b](exchange:answer/1) c\n\n![LaTeX: x](https://canvas.example.org/equation_images/x) $x^2$',
  )
  assert.equal(lines.answers[0]?.body, 'Entry 1\n\n[a & b.pdf](https://canvas.example.org/files/1/download)')
  assert.deepEqual(skips(counts.files), { 'behind a sign-in there: the link is kept': 1 })
})

const REFUSED: readonly [what: string, files: ForeignFiles, message: RegExp][] = [
  ['has no topic', { '9.json': { view: {} } }, /^9\.json: topic: /],
  [
    'has an entry without a time',
    { '9.json': aTopic(9, { view: [anEntry(1), anEntry(2, { created_at: null })] }) },
    /^9\.json, entry 2: created_at: /,
  ],
  [
    'has no such day',
    { '9.json': aTopic(9, { topic: { posted_at: 'yesterday' } }) },
    /^9\.json, topic: posted_at: "yesterday" is not a time$/,
  ],
]
for (const [what, files, message] of REFUSED)
  test(`a file of Canvas that ${what} is refused with its place`, async (t) => {
    await assert.rejects(converted(t, files, { source: CANVAS }), { message })
  })

test('files of Canvas are told by their content; unknown members are counted, other files named', async (t) => {
  const view = [anEntry(1, { colour: 1 }), anEntry(2, { colour: 2 })]
  const files = { 'notes.txt': 'x', '9.json': aTopic(9, { topic: { colour: 1 }, view }) }
  assert.deepEqual(await recognizedBy(t, files), ['canvas'])
  const { notes, unread } = await converted(t, files)
  assert.equal(notes['topic: "colour": a member that is not known, left out'], 1)
  assert.equal(notes['entry: "colour": a member that is not known, left out'], 2)
  assert.deepEqual(unread, ['notes.txt'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ending } from '../../../testing/at-end.ts'
import { skips } from '../../../testing/dumps.ts'
import { columnsOf, valuesOf } from '../../../testing/rows.ts'
import { aZipOf, converted } from '../imports-testing.ts'
import type { Choices } from '../source.ts'

const USERS = [
  { user_id: 'u1', name: 'Mina Ha', email: 'mina@example.org', lti_ids: [], days: 3 },
  { user_id: 'u2', name: 'Jun', email: 'jun@example.org' },
  { user_id: 'u3', name: 'Zyxcanary', email: 'zyxcanary@example.org' },
  { user_id: 't1', name: 'Kim', email: 'kim@example.org' },
  { user_id: 'u9', name: 'Silent', email: 'silent@example.org' },
]

const at = (minute: number) => `2026-02-01T01:${String(minute).padStart(2, '0')}:00Z`
const wrote = (content: string, uid: string | null, anon = 'no', minute = 0, subject = 'Loop?') => ({
  ...{ subject, content, anon, created: at(minute) },
  ...(uid !== null && { uid }),
})
type Post = Readonly<Record<string, unknown>>
const root = (id: string, nr: number, post: Post = {}): Post => ({
  ...{ id, type: 'question', nr, status: 'active', created: at(nr), tags: ['student'], folders: [] },
  history: [wrote('<p>Why?</p>', 'u1', 'no', nr)],
  children: [],
  ...post,
})

/** An export of the older kind. */
const old = async (t: Ending, posts: readonly Post[], choices: Partial<Choices> = {}) =>
  converted(t, await aZipOf(t, { 'class_content.json': posts, 'users.json': USERS }), { choices })

test('questions, wiki answers with their versions, and follow-ups become questions, answers and replies', async (t) => {
  const { lines, source, origin } = await old(t, [
    root('k1', 6, {
      ...{ tags: ['hw1', 'student'], folders: ['hw1', 'exam'], tag_good_arr: ['u2', 'u2'], unique_views: 9 },
      children: [
        {
          ...{ id: 'k2', type: 'i_answer', tag_endorse_arr: ['u1'] },
          history: [wrote('<p>See <b>2.2</b></p>', 'u2', 'no', 9), wrote('<p>2.1</p>', 't1', 'no', 8)],
        },
        { id: 'k5', type: 's_answer', history: [wrote('<p>So</p>', 'u2')], tag_endorse_arr: ['t1'] },
        {
          ...{ id: 'k3', type: 'followup', subject: '<p>And y?</p>', uid: 'u2', anon: 'no', created: at(20) },
          children: [
            { id: 'k4', type: 'feedback', subject: '<p>Same.</p>', uid: 'u1', anon: 'no', created: at(30) },
          ],
        },
        { id: 'k6', type: 'followup', subject: 'Between', uid: 'u1', anon: 'no', created: at(25) },
      ],
    }),
  ])
  assert.deepEqual([source.name, origin], ['piazza', 'export'])
  const [question] = lines.questions
  assert.partialDeepStrictEqual(question, {
    ...{ id: 'k1', title: 'Loop?', body: 'Why?', author: { person: 'u1' }, tags: ['hw1', 'exam'] },
    ...{ votes: 1, views: 9, visibility: 'course', state: 'shown', status: 'resolved', category: null },
  })
  assert.equal(question?.written_at, '2026-02-01T01:06:00.000Z')
  assert.deepEqual(
    lines.answers.map(({ id, author, editor, body, version, votes, endorsement }) => [
      ...[id, author, editor, body, version, votes, endorsement !== null],
    ]),
    [
      ['k5', { person: 'u2' }, null, 'So', 1, 1, true],
      ['k2', { person: 't1' }, { person: 'u2' }, 'See **2.2**', 2, 1, false],
    ],
  )
  assert.deepEqual(
    lines.versions.map(({ post, version, body, author }) => [post.id, version, body, author]),
    [['k2', 1, '2.1', { person: 't1' }]],
  )
  assert.deepEqual(columnsOf(lines.replies, 'id', 'question', 'answer', 'body'), [
    ['k3', 'k1', null, 'And y?'],
    ['k6', 'k1', null, 'Between'],
    ['k4', 'k1', null, 'Same.'],
  ])
  assert.deepEqual(columnsOf(lines.people, 'id', 'name', 'role'), [
    ['u1', 'Mina Ha', null],
    ['u2', 'Jun', 'assistant'],
    ['t1', 'Kim', 'assistant'],
  ])
})

test('whose name was kept from all is nowhere, and whose name was kept from classmates is known to staff', async (t) => {
  const shy = 'u3'
  const { lines, text } = await old(t, [
    root('k1', 1, {
      history: [wrote('<p>Asked</p>', shy, 'full', 1)],
      children: [
        { id: 'k2', type: 'followup', subject: 'Again', uid: shy, anon: 'full', created: at(2) },
        { id: 'k3', type: 'followup', subject: 'Other', uid: 'u2', anon: 'stud', created: at(3) },
        { id: 'k4', type: 'followup', subject: 'No uid', anon: 'stud', created: at(4) },
        { id: 'k5', type: 'followup', subject: 'Stand-in', uid_a: 'a_0', anon: 'full', created: at(5) },
        { id: 'k6', type: 'followup', subject: 'Too', uid_a: 'a_0', anon: 'full', created: at(6) },
        { id: 'k7', type: 'followup', subject: 'Unsaid', uid: shy, created: at(7) },
        { id: 'k8', type: 'followup', subject: 'Gone', uid: '', anon: 'no', created: at(8) },
        {
          ...{ id: 'k9', type: 's_answer' },
          history: [
            wrote('<p>Fourth</p>', 'u2', 'no', 13),
            wrote('<p>Third</p>', 'u9', 'stud', 12),
            wrote('<p>Second</p>', shy, 'full', 11),
            wrote('<p>First</p>', shy, 'no', 10),
          ],
        },
      ],
    }),
    root('k20', 20, { history: [wrote('<p>Elsewhere</p>', shy, 'full', 20)] }),
  ])
  const everyone = (number: number) => ({ anonymous: 'everyone', number })
  assert.deepEqual(columnsOf([...lines.questions, ...lines.replies, ...lines.answers], 'id', 'author'), [
    ['k1', everyone(1)],
    ['k20', everyone(1)],
    ['k2', everyone(1)],
    ['k3', { person: 'u2', anonymous: 'classmates', number: 2 }],
    ['k4', everyone(3)],
    ['k5', everyone(4)],
    ['k6', everyone(4)],
    ['k7', everyone(1)],
    ['k8', { former: '' }],
    ['k9', everyone(1)],
  ])
  assert.deepEqual(columnsOf(lines.versions, 'body', 'author'), [
    ['First', everyone(1)],
    ['Second', everyone(1)],
    ['Third', everyone(5)],
  ])
  assert.doesNotMatch(text, /u3|u9|zyxcanary|silent/i)
})

test('private posts are private, and deleted posts, polls and what is unknown are counted', async (t) => {
  const { lines, counts, notes } = await old(t, [
    root('k1', 1, { status: 'private' }),
    root('k2', 2, { config: { feed_groups: 'instr_1,u1' } }),
    root('k3', 3, {
      status: 'deleted',
      children: [{ id: 'k4', type: 'followup', subject: 'x', created: at(4) }],
    }),
    root('k5', 5, { type: 'poll', colour: 'red' }),
    root('k6', 6, {
      status: 'private',
      type: 'note',
      tags: ['instructor-note'],
      history: [wrote('x', 't1')],
    }),
    root('k7', 7, {
      children: [
        { id: 'k9', type: 'followup', status: 'private', subject: 'Zyxcanary', created: at(8) },
        { id: 'k10', type: 'i_answer', status: 'deleted', subject: 'Zyxcanary', created: at(8) },
        { id: 'k8', type: 'survey', subject: 'x', created: at(8), shade: 1 },
      ],
    }),
    root('k7', 7),
  ])
  assert.deepEqual(columnsOf(lines.questions, 'id', 'visibility', 'was_public'), [
    ['k1', 'private(source)', false],
    ['k2', 'private(source)', false],
    ['k6', 'private(source)', false],
    ['k7', 'course', true],
  ])
  assert.deepEqual([lines.announcements, lines.replies], [[], []])
  const skipped = (kind: string) => skips(counts[kind])
  assert.deepEqual(skipped('questions'), { 'deleted there': 1, poll: 1, 'twice in the export': 1 })
  assert.deepEqual(skipped('replies'), {
    'their question was left out or is not in the file': 1,
    'a private reply': 1,
  })
  assert.deepEqual([skipped('answers'), lines.questions[3]?.status], [{ 'deleted there': 1 }, 'unresolved'])
  assert.deepEqual(skipped('other posts'), { 'of a kind that is not known': 1 })
  assert.deepEqual(notes, {
    'class_content.json: "colour": a member that is not known, left out': 1,
    'class_content.json: "shade": a member that is not known, left out': 1,
  })
})

test('a note by staff under their name is an announcement, and one by a learner a question', async (t) => {
  const answered = { id: 'k9', type: 'i_answer', history: [wrote('So', 't1')] }
  const note = (id: string, nr: number, tags: string[], uid: string, anon = 'no') =>
    root(id, nr, { type: 'note', tags, history: [wrote('<p>Read @4</p>', uid, anon, nr, 'Exam &amp; room')] })
  const { lines, counts } = await old(t, [
    {
      ...note('k1', 1, ['instructor-note'], 't1'),
      children: [{ id: 'k10', type: 'followup', subject: 'When?', uid: 'u1', anon: 'no', created: at(40) }],
    },
    note('k2', 2, ['student'], 'u1'),
    note('k3', 3, [], 't1'),
    root('k4', 4, { children: [answered] }),
    note('k5', 5, ['instructor-note'], 't1', 'stud'),
  ])
  assert.deepEqual(
    columnsOf(lines.announcements, 'id', 'title', 'body', 'author'),
    ['k1', 'k3'].map((id) => [id, 'Exam & room', 'Read [@4](exchange:question/k4)', { person: 't1' }]),
  )
  assert.deepEqual(valuesOf(lines.questions, 'id'), ['k2', 'k4', 'k5'])
  assert.deepEqual(skips(counts.replies), {
    'below an announcement, which has none here': 1,
  })
})

test('of two questions that are linked as duplicates, the later one is the duplicate of the earlier', async (t) => {
  const dupe = (id: string, subject: string) => ({
    id,
    type: 'dupe',
    subject,
    uid: 'u2',
    anon: 'no',
    created: at(50),
  })
  const { lines } = await old(t, [
    root('k1', 1, { children: [dupe('d1', '<p>@2</p>'), dupe('d2', 'marked as a duplicate')] }),
    root('k2', 2, { children: [dupe('d3', '@1')] }),
    root('k3', 3, { children: [dupe('d4', 'See cid=k3 and k2')] }),
  ])
  assert.deepEqual(
    lines.questions.map(({ id, duplicate }) => [id, duplicate?.of]),
    [
      ['k1', undefined],
      ['k2', 'k1'],
      ['k3', 'k2'],
    ],
  )
  assert.deepEqual(valuesOf(lines.replies, 'id'), ['d2'])
})

const TEXTS: readonly [what: string, html: string, markdown: string][] = [
  ['a formula in dollars', '<p>Is $$x^2$$ it?</p>', 'Is $x^2$ it?'],
  ['Markdown in a line', '<p>Why <md>$x$</md>?</p>', 'Why $x$?'],
  [
    'a text in Markdown',
    '<md>**Why** $$x$$ [x](/class/a)\n\n`@4`</md>',
    '**Why** $x$ [x](https://piazza.com/class/a)\n\n`@4`',
  ],
  ['dollars in code', '<pre>a $$x$$ b</pre>', '```\na $$x$$ b\n```'],
  ['a number', '<p>See @4, @99, @u1 and a@4</p>', 'See [@4](exchange:question/k4), @99, @u1 and a@4'],
  ['a mention', '<p>@[X](person:12) #3</p>', '@\\[X\\](person:12) \\#3'],
  [
    'pictures',
    '<p><img src="https://d1b10bmlvqabco.cloudfront.net/a/b.png"><img src="/redirect/s3?bucket=uploads&amp;prefix=a.png"></p>',
    '![](https://d1b10bmlvqabco.cloudfront.net/a/b.png)![](https://piazza.com/redirect/s3?bucket=uploads&prefix=a.png)',
  ],
  ['Korean', '<p>왜 <b>안</b> 돼요?</p>', '왜 **안** 돼요?'],
]

test('texts of Piazza become Markdown', async (t) => {
  const posts = TEXTS.map(([, html], index) =>
    root(`k${index + 4}`, index + 4, { history: [wrote(html, 'u1', 'no', index)] }),
  )
  const { lines } = await old(t, posts)
  for (const [index, [what, , markdown]] of TEXTS.entries())
    assert.equal(lines.questions[index]?.body, markdown, what)
})

const flat = (id: string, post: Post = {}): Post => ({
  ...{
    id,
    thread_id: 'p1',
    type: 'followup',
    subject: '',
    content: `<p>${id}</p>`,
    created: at(1),
    score: 0,
  },
  ...{ tag_good_arr: [], views: 1, editors: ['u1'], anonimity: 'no' },
  ...post,
})

test('the newer export is read in any order; who could read a thread it does not say, so staff look first', async (t) => {
  const files = {
    'config.json': { course_number: 'CS 101', name: 'Course', access_code_on: false },
    'users.json': USERS,
    'class_content_flat.json': [
      flat('p2', { parent_id: 'p1', type: 'i_answer', editors: ['t1', 'u1'] }),
      flat('p1', { type: 'question', subject: 'Loop?', editors: ['u3'], anonimity: 'full' }),
      flat('p3', { parent_id: 'p2', anonimity: 'stud' }),
      flat('p4', { thread_id: 'p0', parent_id: 'p0' }),
      flat('p5', { thread_id: 'p5', type: 'note', editors: ['t1'] }),
      flat('p6', { parent_id: 'p6', editors: [] }),
    ],
  }
  const careful = await converted(t, files)
  assert.deepEqual([careful.origin, careful.asks], ['CS 101', ['groups']])
  assert.deepEqual(columnsOf(careful.lines.questions, 'id', 'state', 'author', 'status'), [
    ['p1', 'held(source)', { anonymous: 'everyone', number: 1 }, 'resolved'],
    ['p5', 'held(source)', { person: 't1' }, 'unresolved'],
  ])
  assert.deepEqual(columnsOf(careful.lines.replies, 'id', 'author'), [
    ['p3', { person: 'u1', anonymous: 'classmates', number: 2 }],
    ['p6', { former: '' }],
  ])
  assert.deepEqual(skips(careful.counts.replies), {
    'their question was left out or is not in the file': 1,
  })
  assert.doesNotMatch(careful.text, /u3|zyxcanary/i)
  const shown = await converted(t, files, { choices: { groups: 'show' } })
  assert.deepEqual(valuesOf([...shown.lines.questions, ...shown.lines.announcements], 'id'), ['p1', 'p5'])
})

const BROKEN: readonly [what: string, content: unknown, message: RegExp][] = [
  ['without a type', '[{"id":"k1"}]', /^class_content\.json, record 1: type: /],
  [
    'without a time',
    `[{"id":"k1","type":"question","history":[{"uid":"u1"}]}]`,
    /record 1: created: it is missing$/,
  ],
  ['with a bad child', [root('k1', 1), root('k2', 2, { children: [{ id: 'x' }] })], /record 2: type: /],
]

for (const [what, content, message] of BROKEN)
  test(`an export of Piazza that is ${what} is refused`, async (t) => {
    await assert.rejects(converted(t, { 'class_content.json': content }), { message })
  })

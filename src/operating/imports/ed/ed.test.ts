import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../testing/database.ts'
import { skips } from '../../../testing/dumps.ts'
import { columnsOf, rowsOf, valuesOf } from '../../../testing/rows.ts'
import { converted, type ForeignFiles, importedInto, recognizedBy } from '../imports-testing.ts'
import { ED } from './ed.ts'
import { anEdComment, anEdThread, edDocument, edUser } from './ed-testing.ts'

const edOf = (...threads: unknown[]): ForeignFiles => ({ 'threads.json': threads })

test('a question of Ed comes with its category, tags, counts and time; answers with votes and endorsements', async (t) => {
  const { lines, origin } = await converted(
    t,
    edOf(
      anEdThread(41, {
        subcategory: 'Part 1',
        answers: [anEdComment(41, 90, { votes: 2, endorsed: true, user: edUser('Tea', 'admin') })],
      }),
    ),
  )
  const [question, answer] = [lines.questions[0], lines.answers[0]]
  assert.deepEqual(
    [question?.id, question?.title, question?.body, question?.written_at, question?.active_at],
    ['41', 'Loop?', 'Why?', '2026-02-01T01:00:00.000Z', '2026-02-01T02:00:30.000Z'],
  )
  assert.deepEqual(
    [question?.category, question?.tags, question?.votes, question?.views],
    ['HW1', ['Part 1'], 1, 9],
  )
  assert.deepEqual([question?.status, question?.resolved_at], ['resolved', '2026-02-01T02:00:30.000Z'])
  assert.deepEqual(
    [answer?.id, answer?.question, answer?.votes, answer?.endorsement?.at],
    ['41-90', '41', 2, '2026-02-01T02:00:30.000Z'],
  )
  assert.deepEqual(columnsOf(lines.people, 'name', 'email', 'role'), [
    ['Mina Ha', 'mina.ha@example.org', 'learner'],
    ['Tea', 'tea@example.org', 'instructor'],
  ])
  assert.deepEqual(lines.categories, [{ id: 'HW1', slug: '', name: 'HW1', position: 0 }])
  assert.equal(origin, '7')
})

const RESOLVED: readonly [what: string, answer: Readonly<Record<string, unknown>>, status: string][] = [
  ['of a learner', {}, 'unresolved'],
  ['of a tutor', { user: edUser('Tea', 'tutor') }, 'resolved'],
  ['that is endorsed', { endorsed: true }, 'resolved'],
  ['of a tutor who is anonymous', { user: edUser('Tea', 'tutor'), anonymous: true }, 'unresolved'],
]
for (const [what, answer, status] of RESOLVED)
  test(`a question of Ed is ${status} with an answer ${what}`, async (t) => {
    const { lines } = await converted(t, edOf(anEdThread(41, { answers: [anEdComment(41, 90, answer)] })))
    assert.equal(lines.questions[0]?.status, status)
  })

test('kinds of threads of Ed: a post has its category as a word too, an announcement by staff is one, a learner’s a question', async (t) => {
  const { lines, counts } = await converted(
    t,
    edOf(
      anEdThread(41, { type: 'post' }),
      anEdThread(42, {
        type: 'announcement',
        title: 'Exam',
        user: edUser('Tea', 'staff'),
        comments: [anEdComment(42, 95)],
      }),
      anEdThread(43, { type: 'announcement' }),
      ...['private', 'anonymous'].map((member, index) =>
        anEdThread(44 + index, { type: 'announcement', user: edUser('Tea', 'staff'), [member]: true }),
      ),
    ),
  )
  assert.deepEqual(
    lines.questions.map(({ id, tags, visibility, author }) => [id, tags, visibility, 'person' in author]),
    [
      ['41', ['HW1'], 'course', true],
      ['43', ['HW1'], 'course', true],
      ['44', ['HW1'], 'private(source)', true],
      ['45', ['HW1'], 'course', false],
    ],
  )
  assert.deepEqual(columnsOf(lines.announcements, 'id', 'title'), [['42', 'Exam']])
  assert.deepEqual(skips(counts.replies), { 'below an announcement': 1 })
})

test('comments of Ed are replies, deeper ones after what they reply to and by time', async (t) => {
  const deep = (id: number, comments: unknown[] = [], at?: string) =>
    anEdComment(41, id, { comments, ...(at && { created_at: at }) })
  const { lines } = await converted(
    t,
    edOf(
      anEdThread(41, {
        answers: [anEdComment(41, 90, { comments: [deep(95, [deep(91), deep(99)]), deep(92)] })],
        comments: [deep(96, [deep(97, [], '2025-01-01T00:00:00Z')])],
      }),
    ),
  )
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [
    ['41-92', '41-90'],
    ['41-95', '41-90'],
    ['41-91', '41-90'],
    ['41-96', null],
    ['41-97', null],
    ['41-99', '41-90'],
  ])
})

test('anonymous authors of Ed are dropped, and stay one person within their thread alone', async (t) => {
  const secret = edUser('Zyxcanary Kim')
  const hidden = { user: secret, anonymous: true }
  const files = edOf(
    anEdThread(41, {
      ...hidden,
      answers: [anEdComment(41, 90, { user: edUser('Jun'), anonymous: true }), anEdComment(41, 91, hidden)],
    }),
    anEdThread(42, { comments: [anEdComment(42, 95, hidden)] }),
  )
  const { text, lines, asks } = await converted(t, files)
  assert.deepEqual(asks, ['anonymous'])
  assert.doesNotMatch(text, /zyxcanary/i)
  const numbers = [...lines.questions, ...lines.answers, ...lines.replies].flatMap(({ id, author }) =>
    'anonymous' in author ? [[id, author.anonymous, author.number]] : [],
  )
  assert.deepEqual(numbers, [
    ['41', 'everyone', 1],
    ['41-90', 'everyone', 2],
    ['41-91', 'everyone', 1],
    ['42-95', 'everyone', 1],
  ])
  const kept = await converted(t, files, { choices: { anonymous: 'keep' } })
  const [asker] = kept.lines.people.filter(({ name }) => name === 'Zyxcanary Kim')
  assert.deepEqual(kept.lines.questions[0]?.author, {
    person: asker?.id,
    anonymous: 'classmates',
    number: null,
  })
})

test('private threads of Ed are private, deleted ones left out; private comments of others and all below them too', async (t) => {
  const user = edUser('Zyxcanary')
  const { text, lines, counts } = await converted(
    t,
    edOf(
      anEdThread(41, { private: true, comments: [anEdComment(41, 90, { is_private: true })] }),
      anEdThread(42, { deleted_at: '2026-02-02T00:00:00Z', answers: [anEdComment(42, 91, { user })] }),
      anEdThread(43, {
        answers: [
          anEdComment(43, 92, { private: true, user, comments: [anEdComment(43, 93, { user })] }),
          anEdComment(43, 94, { user, deleted_at: '2026-02-02T00:00:00Z' }),
          anEdComment(43, 95, { user, deleted_at: '2026-02-02T00:00:00Z', comments: [anEdComment(43, 96)] }),
        ],
      }),
    ),
  )
  assert.deepEqual(columnsOf(lines.questions, 'id', 'visibility', 'was_public'), [
    ['41', 'private(source)', false],
    ['43', 'course', true],
  ])
  assert.deepEqual(columnsOf(lines.answers, 'id', 'body', 'author'), [['43-95', '', { former: '' }]])
  assert.deepEqual(valuesOf(lines.replies, 'id'), ['41-90', '43-96'])
  assert.doesNotMatch(text, /zyxcanary/i)
  const why = 'private there, below a question that is not'
  assert.deepEqual(skips(counts.questions), { 'deleted there': 1 })
  assert.deepEqual(skips(counts.answers), {
    'their question was deleted there': 1,
    [why]: 1,
    'deleted there': 1,
  })
  assert.deepEqual(skips(counts.replies), { [why]: 1 })
})

test('texts of Ed lead to its posts, and to nothing of this forum', async (t) => {
  const at = 'https://edstem.org/us/courses/7/discussion/41'
  const says = (xml: string) => anEdThread(42, { document: edDocument(`<paragraph>${xml}</paragraph>`) })
  const { lines } = await converted(
    t,
    edOf(
      anEdThread(41, { answers: [anEdComment(41, 90)], comments: [anEdComment(41, 91)] }),
      says(
        `#3 #99 <link href="${at}">a</link> <link href="${at}?comment=90">b</link> <link href="${at}?comment=91">c</link> ` +
          `<link href="${at.replace('/7/', '/8/')}">d</link> [x](exchange:person/1) @[X](person:12) <code>#3</code>`,
      ),
    ),
  )
  assert.equal(
    lines.questions[1]?.body,
    [
      '[#3](exchange:question/41) \\#99 [a](exchange:question/41) [b](exchange:answer/41-90) [c](exchange:reply/41-91)',
      `[d](${at.replace('/7/', '/8/')}) \\[x\\](exchange:person/1) @\\[X\\](person:12) \`#3\``,
    ].join(' '),
  )
})

test('broken markup of a text is told, and its words are taken', async (t) => {
  const { lines, notes } = await converted(
    t,
    edOf(anEdThread(41, { document: edDocument('<paragraph>Wh'), text: 'Why *so*?\nNow' })),
  )
  assert.equal(lines.questions[0]?.body, 'Why \\*so\\*?\\\nNow')
  assert.equal(notes['texts whose markup is broken: their words were taken'], 1)
})

/** The same as the API answers. */
const OF_API = {
  thread: {
    ...{ id: 41, user_id: 5, course_id: 7, type: 'question', number: 3, title: 'Loop?', category: 'HW1' },
    ...{
      subcategory: '',
      subsubcategory: '',
      vote_count: 4,
      view_count: 8,
      is_private: false,
      is_anonymous: true,
    },
    ...{
      anonymous_id: 12,
      is_endorsed: false,
      accepted_id: 90,
      duplicate_id: null,
      pinned_at: null,
      deleted_at: null,
    },
    ...{
      created_at: '2026-02-01T10:00:00.123456+09:00',
      document: 'Why?',
      content: edDocument('<paragraph><bold>Why?</bold></paragraph>'),
    },
    answers: [
      {
        ...{ id: 90, user_id: 6, is_anonymous: false, is_endorsed: false, vote_count: 1, deleted_at: null },
        ...{
          created_at: '2026-02-01T11:00:00+09:00',
          document: 'So.',
          content: edDocument('<paragraph>So.</paragraph>'),
        },
        comments: [
          {
            id: 92,
            user_id: 99,
            created_at: '2026-02-01T12:00:00+09:00',
            document: 'Oh.',
            is_resolved: true,
          },
        ],
      },
    ],
    comments: [],
    colour: 'red',
  },
  users: [
    { id: 5, name: 'Zyxcanary', course_role: 'student' },
    { id: 6, name: 'Jun', course_role: 'student' },
  ],
}

test('threads as the API of Ed answers them come alike, with accepted answers and by ids', async (t) => {
  for (const files of [{ '41.json': OF_API }, { 'all.json': [OF_API] }]) {
    const { text, lines, origin, notes } = await converted(t, files)
    assert.doesNotMatch(text, /zyxcanary/i)
    const [question, answer, reply] = [lines.questions[0], lines.answers[0], lines.replies[0]]
    assert.deepEqual(
      [
        question?.id,
        question?.body,
        question?.votes,
        question?.views,
        question?.accepted_answer,
        question?.status,
      ],
      ['41', '**Why?**', 4, 8, '41-90', 'resolved'],
    )
    assert.deepEqual(question?.author, { anonymous: 'everyone', number: 1 })
    assert.deepEqual([answer?.id, answer?.body, answer?.author], ['41-90', 'So.', { person: '6' }])
    assert.deepEqual([reply?.id, reply?.body, reply?.author], ['41-92', 'Oh.', { former: '' }])
    assert.equal(origin, '7')
    assert.equal(notes['threads: "colour": a member that is not known, left out'], 1)
  }
})

test('duplicates of Ed are linked, a cycle of them and one of nothing are not', async (t) => {
  const of = (id: number, original: number) => anEdThread(id, { duplicate_id: original })
  const { lines } = await converted(
    t,
    edOf(anEdThread(41), of(42, 41), of(43, 44), of(44, 43), of(45, 99), of(46, 43)),
  )
  assert.deepEqual(
    lines.questions.map(({ id, duplicate }) => [id, duplicate?.of ?? null]),
    [
      ['41', null],
      ['42', '41'],
      ['43', null],
      ['44', null],
      ['45', null],
      ['46', '43'],
    ],
  )
})

const REFUSED: readonly [what: string, files: ForeignFiles, message: RegExp][] = [
  [
    'is cut off',
    { 'threads.json': '[{"url":\n"x"' },
    /^threads\.json, line 2: it is not JSON, or it is cut off$/,
  ],
  [
    'has a thread without a time',
    edOf(anEdThread(41), anEdThread(42, { created_at: undefined })),
    /^threads\.json, record 2: created_at: /,
  ],
  [
    'has no such day',
    edOf(anEdThread(41, { created_at: '2026-02-30T10:00:00Z' })),
    /record 1: created_at: "2026-02-30T10:00:00Z" is not a time$/,
  ],
  [
    'has a thread without a number',
    edOf(anEdThread(41, { url: 'https://x' })),
    /record 1: url: it has no number of a thread$/,
  ],
  [
    'has a comment that is a word',
    edOf(anEdThread(41, { answers: [anEdComment(41, 90, { comments: ['x'] })] })),
    /^threads\.json, record 1, comment 2: /,
  ],
  [
    'is in another encoding',
    { 'threads.json': Buffer.from('[{"title":"\xb0\xa1"}]', 'latin1') },
    /isn’t UTF-8 or UTF-16/,
  ],
]
for (const [what, files, message] of REFUSED)
  test(`a file of Ed that ${what} is refused with its place`, async (t) => {
    await assert.rejects(converted(t, files, { source: ED }), { message })
  })

test('files of Ed are told by their content', async (t) => {
  assert.deepEqual(await recognizedBy(t, edOf(anEdThread(41))), ['ed'])
  assert.deepEqual(await recognizedBy(t, { 'a.json': OF_API }), ['ed'])
  assert.deepEqual(await recognizedBy(t, { 'a.json': [{ id: 'k1', history: [] }], 'a.txt': 'x' }), [])
})

test('10,000 comments of Ed are read, each below the one before', async (t) => {
  const around = Array.from({ length: 10_000 }, (_, id) =>
    JSON.stringify(anEdComment(41, id + 1, { comments: ['HERE'] })).split('"HERE"'),
  )
  const comment = [
    ...around.map(([before]) => before),
    ...around.toReversed().map(([, after]) => after),
  ].join('')
  const thread = JSON.stringify(anEdThread(41, { comments: ['HERE'] })).replace('"HERE"', () => comment)
  const { lines } = await converted(t, { 'threads.json': `[${thread}]` })
  assert.equal(lines.replies.length, 10_000)
})

test('an import of Ed into a course holds names back, and a later one adds only what is new', async (t) => {
  const db = await testDatabase(t)
  const secret = { user: edUser('Zyxcanary'), anonymous: true }
  const threads = [
    anEdThread(41, {
      ...secret,
      title: '반복문은 왜 끝나지 않나요?',
      text: '왜요?',
      document: edDocument('<paragraph>왜 끝나지 않나요?</paragraph>'),
    }),
    anEdThread(42, { private: true }),
  ]
  await importedInto(t, db, edOf(...threads))
  const later = anEdThread(41, { ...secret, answers: [anEdComment(41, 90, secret), anEdComment(41, 91)] })
  const { tally } = await importedInto(t, db, edOf(later, threads[1]))
  assert.deepEqual(skips(tally.counts.questions), { 'imported before': 2 })
  const questions = await rowsOf(db, 'questions', {})
  assert.deepEqual(columnsOf(questions, 'audience', 'is_anonymous', 'held_at'), [
    ['course', true, null],
    ['staff', false, null],
  ])
  const answers = await rowsOf(db, 'answers', {})
  assert.deepEqual(
    answers.map(({ author_id, is_anonymous }) => [author_id === questions[0]?.author_id, is_anonymous]),
    [
      [true, true],
      [false, false],
    ],
  )
  const people = await rowsOf(db, 'people', {})
  assert.doesNotMatch(JSON.stringify(people), /zyxcanary/i)
  const [course] = await rowsOf(db, 'courses', {})
  assert.deepEqual([course?.is_public, course?.language], [false, 'ko'])
  const again = await importedInto(t, db, edOf(later, threads[1]))
  assert.equal(again.tally.counts.people?.imported ?? 0, 0)
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import type { Ending } from '../../../testing/at-end.ts'
import { skips } from '../../../testing/dumps.ts'
import { columnsOf, valuesOf } from '../../../testing/rows.ts'
import { aFolder } from '../../exchange/course-testing.ts'
import { aZipOf, converted } from '../imports-testing.ts'
import type { Choices } from '../source.ts'
import { aBackup, aDiscussion, aFile, anActivity, aPost, CREATED, element } from './moodle-testing.ts'

const convert = async (t: Ending, files: Record<string, string | Buffer>, choices: Partial<Choices> = {}) =>
  converted(t, await aZipOf(t, files), { choices })
const rating = (id: number, userid: number, value: number) =>
  element('rating', id, { userid, rating: value, firstrated: CREATED + 900 })

test('discussions become questions with their categories, and posts answers and replies', async (t) => {
  const { lines, source, origin, notes } = await convert(
    t,
    aBackup({
      forum_9: anActivity(
        'forum',
        { name: '질문' },
        [
          aDiscussion(
            3,
            { name: 'Loop?', firstpost: 5, pinned: 0, colour: 'red', timelocked: CREATED + 999 },
            [
              aPost(5, 0, { subject: 'Loop?', modified: CREATED + 60 }),
              aPost(6, 5, { userid: 2, shade: 1 }),
              aPost(7, 6),
              aPost(8, 7),
              aPost(9, 5, { userid: 44 }),
            ],
          ),
        ],
        `<poststags>${element('tag', 1, { itemid: 5, rawname: 'HW 1' })}</poststags>`,
      ),
      forum_4: anActivity('forum', { type: 'news', name: 'News' }, [
        aDiscussion(2, { name: 'Room', firstpost: 2 }, [aPost(2, 0, { userid: 2 }), aPost(4, 2)]),
        aDiscussion(8, { name: 'Later', firstpost: 20, timestart: 4_000_000_000 }, [
          aPost(20, 0, { userid: 2 }),
        ]),
      ]),
    }),
  )
  assert.deepEqual([source.name, origin], ['moodle', 'moodle.example/4'])
  assert.deepEqual(columnsOf(lines.categories, 'id', 'name'), [['forum 2', '질문']])
  const [later, question] = lines.questions
  assert.deepEqual([later?.id, later?.state, later?.category], ['d8', 'held(source)', null])
  assert.partialDeepStrictEqual(question, {
    ...{ id: 'd3', title: 'Loop?', body: 'Text 5', author: { person: '7' }, tags: ['HW 1'], state: 'shown' },
    ...{ category: 'forum 2', visibility: 'course', status: 'resolved', version: 1 },
    ...{ written_at: '2026-02-01T01:00:05.000Z', edited_at: '2026-02-01T01:01:00.000Z' },
    closed: { at: '2026-02-01T01:16:39.000Z', reason: null },
  })
  assert.deepEqual(columnsOf(lines.answers, 'id', 'question', 'author'), [
    ['p6', 'd3', { person: '2' }],
    ['p9', 'd3', { former: '' }],
  ])
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [
    ['p7', 'p6'],
    ['p8', 'p6'],
  ])
  assert.deepEqual(columnsOf(lines.announcements, 'id', 'title', 'body'), [['d2', 'Room', 'Text 2']])
  assert.deepEqual(columnsOf(lines.people, 'id', 'name', 'role'), [
    ['7', 'Mina Ha', null],
    ['2', '김철수', 'instructor'],
  ])
  const unknown = Object.keys(notes)
    .filter((note) => /not known/.test(note))
    .map((note) => note.split(':')[1])
  assert.deepEqual(unknown, [' "shade"', ' "colour"'])
})

test('who could not read something there does not read it here at once', async (t) => {
  const forum = anActivity('forum', {}, [
    aDiscussion(1, {}, [
      aPost(1, 0),
      aPost(2, 1, { privatereplyto: 7, userid: 8, message: 'Zyxcanary' }),
      aPost(3, 2, { userid: 8 }),
      aPost(4, 1, { deleted: 1 }),
      aPost(5, 1, { deleted: 1, userid: 8, message: 'Zyxcanary' }),
      aPost(6, 5),
      aPost(7, 8),
      aPost(8, 7),
      aPost(9, 99),
    ]),
    aDiscussion(20, { groupid: 3 }, [aPost(20, 0), aPost(21, 20)]),
    aDiscussion(30, { timeend: CREATED }, [aPost(30, 0)]),
    aDiscussion(40, { firstpost: 99 }, [aPost(41, 77)]),
  ])
  const hidden = (visible: number, availability: string) => element('module', 9, { visible, availability })
  const files = aBackup(
    { forum_9: forum, forum_10: anActivity('forum', {}, [aDiscussion(50, {}, [aPost(50, 0)])]) },
    { 'activities/forum_10/module.xml': hidden(0, '$@NULL@$') },
  )
  const { lines, text, asks, counts } = await convert(t, files)
  assert.deepEqual(columnsOf(lines.questions, 'id', 'state', 'visibility'), [
    ['d1', 'shown', 'course'],
    ['d20', 'held(source)', 'course'],
    ['d30', 'held(source)', 'course'],
    ['d50', 'held(source)', 'course'],
  ])
  assert.deepEqual(columnsOf([...lines.answers, ...lines.replies], 'id', 'author', 'body'), [
    ['p5', { former: '' }, ''],
    ['p21', { person: '7' }, 'Text 21'],
    ['p6', { person: '7' }, 'Text 6'],
  ])
  assert.deepEqual(skips(counts.replies), {
    'a private reply': 1,
    'below a private reply': 1,
    'deleted there': 1,
    'its post is not in the backup': 3,
    'its question is not in the backup': 1,
  })
  assert.deepEqual(skips(counts.questions), { 'its first post is not in the backup': 1 })
  assert.doesNotMatch(text, /zyxcanary|silent/i)
  assert.deepEqual(asks, ['groups'])
  const shown = await convert(t, files, { groups: 'show' })
  assert.deepEqual(valuesOf(shown.lines.questions, 'state'), [
    'shown',
    'shown',
    'held(source)',
    'held(source)',
  ])
  const condition = await convert(t, {
    ...files,
    'activities/forum_10/module.xml': hidden(1, '{"op":"&","c":[{"type":"group","id":3}]}'),
    'activities/forum_9/module.xml': hidden(1, '{"op":"&","c":[],"showc":[]}'),
  })
  assert.deepEqual(
    [condition.lines.questions[0]?.state, condition.lines.questions[3]?.state],
    ['shown', 'held(source)'],
  )
})

const overflow = (fields: Readonly<Record<string, string | number>>, ...discussions: readonly string[]) =>
  aBackup({ moodleoverflow_3: anActivity('moodleoverflow', fields, discussions) })
const reviewed = { reviewed: 1 }

test('a solution of moodleoverflow is endorsed by a teacher, and what helped the asker is accepted', async (t) => {
  const { lines, counts, notes } = await convert(
    t,
    overflow(
      { anonymous: 0 },
      aDiscussion(3, { firstpost: 5 }, [
        aPost(5, 0, reviewed, rating(1, 8, 2), rating(2, 9, 2), rating(3, 2, 1)),
        aPost(6, 5, reviewed, rating(4, 2, 3), rating(5, 8, 1)),
        aPost(7, 5, { ...reviewed, userid: 8 }, rating(6, 7, 4)),
        aPost(8, 5, { reviewed: 0 }, rating(7, 7, 4), rating(8, 7, 9)),
        aPost(9, 6, reviewed),
      ]),
    ),
  )
  const [question] = lines.questions
  assert.partialDeepStrictEqual(question, {
    ...{ id: 'od3', accepted_answer: 'op7', status: 'resolved', votes: 1 },
  })
  assert.deepEqual(
    lines.answers.map(({ id, endorsement, votes, state }) => [id, endorsement?.at ?? null, votes, state]),
    [
      ['op6', '2026-02-01T01:15:00.000Z', -1, 'shown'],
      ['op7', null, 0, 'shown'],
      ['op8', null, 0, 'held(source)'],
    ],
  )
  assert.deepEqual(columnsOf(lines.replies, 'id', 'answer'), [['op9', 'op6']])
  assert.deepEqual(skips(counts.ratings), { 'of a kind that is not known': 1 })
  assert.equal(notes['votes, of which the sum comes along'], 4)
})

const asked = aDiscussion(3, { firstpost: 5, userid: 8 }, [
  aPost(5, 0, { ...reviewed, userid: 8 }),
  aPost(6, 5, { ...reviewed, userid: 7 }),
  aPost(7, 6, { ...reviewed, userid: 8 }),
])
const everyone = (number: number) => ({ anonymous: 'everyone', number })
const classmates = (person: string, number: number) => ({ person, anonymous: 'classmates', number })

const ANONYMOUS: readonly [
  what: string,
  fields: Record<string, number>,
  choices: Partial<Choices>,
  authors: object[],
][] = [
  ['no one', { anonymous: 0 }, {}, [{ person: '8' }, { person: '7' }, { person: '8' }]],
  ['the asker', { anonymous: 1 }, {}, [everyone(1), { person: '7' }, everyone(1)]],
  ['everyone', { anonymous: 2 }, {}, [everyone(1), everyone(2), everyone(1)]],
  ['perhaps everyone', {}, {}, [everyone(1), everyone(2), everyone(1)]],
  [
    'everyone, but staff may know',
    { anonymous: 2 },
    { anonymous: 'keep' },
    [classmates('8', 1), classmates('7', 2), classmates('8', 1)],
  ],
]

for (const [what, fields, choices, authors] of ANONYMOUS)
  test(`moodleoverflow where ${what} is anonymous`, async (t) => {
    const { lines, text, asks } = await convert(t, overflow(fields, asked), choices)
    const [question, answer, reply] = [lines.questions[0], lines.answers[0], lines.replies[0]]
    assert.deepEqual([question?.author, answer?.author, reply?.author], authors)
    assert.equal(
      /zyxcanary/i.test(text),
      authors.some((author) => 'person' in author && author.person === '8'),
    )
    assert.deepEqual(asks, fields.anonymous === 0 ? [] : ['anonymous'])
  })

test('posts that are perhaps not reviewed wait, unless staff say that they need not', async (t) => {
  const files = overflow({ anonymous: 0 }, aDiscussion(5, {}, [aPost(5, 0)]))
  const careful = await convert(t, files)
  assert.deepEqual([careful.lines.questions[0]?.state, careful.asks], ['held(source)', ['groups']])
  assert.equal((await convert(t, files, { groups: 'show' })).lines.questions[0]?.state, 'shown')
})

test('of a backup with made-up names there are no people', async (t) => {
  const files = aBackup({ forum_9: anActivity('forum', {}, [asked]) })
  for (const [name, changed] of [
    ['users.xml', `<users>${element('user', 8, { username: 'anonuser1' })}${element('user', 7)}</users>`],
    ['moodle_backup.xml', String(files['moodle_backup.xml']).replace('<value>0<', '<value>1<')],
  ] as const) {
    const { lines } = await convert(t, { ...files, [name]: changed })
    assert.deepEqual([lines.questions[0]?.author, lines.answers[0]?.author], [everyone(1), everyone(2)])
    assert.deepEqual(lines.people, [])
  }
})

test('texts are read in their formats, with links between posts and pictures', async (t) => {
  const picture = aFile(5, 'a b.png', Buffer.from('a picture'))
  const attached = aFile(5, 'c.png', Buffer.from('another'), { filearea: 'attachment' })
  const other = aFile(5, 'd.pdf', Buffer.from('a text'), {
    filearea: 'attachment',
    mimetype: 'application/pdf',
  })
  const missing = aFile(6, 'e.png', Buffer.from('missing'))
  const site = 'https://moodle.example/mod/forum/discuss.php'
  const messages = [
    '<p>\\(x\\) <img src="@@PLUGINFILE@@/a%20b.png" alt="A"><a href="$@FORUMDISCUSSIONVIEWINSIDE*4*19@$">it</a></p>',
    `<p><img src="@@PLUGINFILE@@/e.png" alt="E"> $@FORUMDISCUSSIONVIEW*4@$ <a href="${site}?d=4#p19">x</a> <a href="${site}?d=77">y</a></p>`,
    'Plain <b> & "it"\n# 3 $@FORUMDISCUSSIONVIEW*4@$',
    '**So** ![a](@@PLUGINFILE@@/no.png) [that](https://moodle.example/mod/moodleoverflow/discussion.php?d=3#p5)',
    'Auto\nmatic',
  ]
  const posts = messages.map((message, index) =>
    aPost(index + 5, index === 0 ? 0 : 5, { message, messageformat: [1, 1, 2, 4, 0][index] ?? 1 }),
  )
  const { lines, notes, counts } = await convert(
    t,
    aBackup(
      {
        forum_9: anActivity('forum', {}, [
          aDiscussion(3, { firstpost: 5 }, posts),
          aDiscussion(4, { firstpost: 10 }, [aPost(10, 0), aPost(19, 10)]),
        ]),
        moodleoverflow_3: anActivity('moodleoverflow', { anonymous: 0 }, [asked]),
      },
      {
        'files.xml': `<files>${picture.xml}${attached.xml}${other.xml}${missing.xml}</files>`,
        [picture.path]: 'a picture',
        [attached.path]: 'another',
      },
    ),
  )
  const shown = `exchange:file/${picture.path.slice(-40)}`
  const below = `exchange:file/${attached.path.slice(-40)}`
  const bodies = new Map([...lines.questions, ...lines.answers].map(({ id, body }) => [id, body]))
  assert.deepEqual(
    ['d3', 'p6', 'p7', 'p8', 'p9'].map((id) => bodies.get(id)),
    [
      `$x$ ![A](${shown})[it](exchange:answer/p19)\n\n![c.png](${below})`,
      `E [${site}?d=4](exchange:question/d4) [x](exchange:answer/p19) [y](${site}?d=77)`,
      `Plain <b> & "it"\\\n\\# 3 [${site}?d=4](exchange:question/d4)`,
      '**So** a [that](exchange:question/od3)',
      'Auto\\\nmatic',
    ],
  )
  assert.deepEqual(
    columnsOf(lines.files, 'kept', 'path'),
    [picture, attached].map(({ path }) => ['blob', `files/${path.slice(-40)}`]),
  )
  assert.equal(notes['pictures that are not in the backup, or too large: left out'], 2)
  assert.deepEqual(skips(counts.files), { 'attached, and no picture': 1 })
})

test('a backup is read from a tar as from a zip, and says when it has no posts', async (t) => {
  const entries = Object.entries(aBackup({ forum_9: anActivity('forum', {}, []) })).map(([name, content]) => {
    const body = Buffer.from(content)
    return { header: { name, size: body.length, type: 'file' as const }, body }
  })
  const path = join(await aFolder(t), 'backup.mbz')
  await writeFile(path, gzipSync(await packTar(entries)))
  const { notes, source } = await converted(t, path)
  assert.equal(source.name, 'moodle')
  assert.deepEqual(Object.keys(notes), [
    'there are no posts in the backup: it was made without the data of users',
  ])
})

const BROKEN: readonly [what: string, xml: string | Buffer, message: RegExp][] = [
  ['is cut off', '<activity>\n<forum id="1">', /forum_9\/forum\.xml, line 2: it is cut off/],
  [
    'has a DOCTYPE',
    '<!DOCTYPE a [<!ENTITY b "c">]><activity/>',
    /line 1: it has a DOCTYPE, which no backup has$/,
  ],
  ['is another file', '<users/>', /it begins with <users> where a backup has <activity>$/],
  ['is too deep', `<activity>${'<a>'.repeat(100)}`, /it is nested deeper than 64 elements$/],
  [
    'has a post without a time',
    anActivity('forum', {}, [aDiscussion(1, {}, [element('post', 1, { parent: 0 })])]),
    /line 1: <post>: it has no time: created$/,
  ],
  [
    'has a parent that is a word',
    anActivity('forum', {}, [aDiscussion(1, {}, [aPost(1, 0, { parent: 'x' })])]),
    /<post>: <parent> is no number: "x"$/,
  ],
  ['is in another encoding', Buffer.from([0x3c, 0x61, 0xb0, 0xad, 0x3e]), /isn’t UTF-8 or UTF-16 text/],
]

for (const [what, xml, message] of BROKEN)
  test(`a backup whose forum ${what} is refused`, async (t) => {
    await assert.rejects(convert(t, { ...aBackup({}), 'activities/forum_9/forum.xml': xml }), { message })
  })

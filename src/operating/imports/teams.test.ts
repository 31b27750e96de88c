import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { fileStore } from '../../forum/pictures/store.ts'
import { testDatabase } from '../../testing/database.ts'
import { columnsOf, rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { allSkips, aZipOf, converted, importedInto, recognizedBy } from './imports-testing.ts'
import { TEAMS } from './teams.ts'

const AT = '2026-02-01T01:00:00Z'
type Given = Readonly<Record<string, unknown>>

const question = (id: number, given: Given = {}) => ({
  ...{ id, postType: 'question', title: `Question ${id}`, bodyMarkdown: 'Why?', tags: '|hw1|C#|' },
  ...{ score: 1, viewCount: 4, answerCount: 0, creationDate: AT, ownerUserId: 7, ...given },
})
const answer = (id: number, parentId: number, given: Given = {}) => ({
  ...{ id, postType: 'answer', parentId, bodyMarkdown: `Answer ${id}`, score: 2, creationDate: AT },
  ...{ ownerUserId: 8, ...given },
})
const comment = (id: number, postId: number, given: Given = {}) => ({
  ...{ id, postId, userId: 7, text: `Comment ${id}`, creationDate: AT, ...given },
})
const USERS = [
  { id: 7, accountId: 70, realName: 'Mina', userTypeId: '', creationDate: '2025-01-01T00:00:00' },
  { id: 8, accountId: 80, realName: 'Jun', userTypeId: 'Registered', creationDate: AT },
  { id: 9, accountId: 90, realName: 'Kim', userTypeId: 'Admin', creationDate: AT },
  { id: 10, accountId: 100, realName: 'Silent', userTypeId: '', creationDate: AT },
]
const ACCOUNTS = USERS.map(({ accountId }) => ({ accountId, verifiedEmail: `a${accountId}@example.org` }))

/** The files as Stack Overflow for Teams writes them. */
function anExport(given: Given) {
  const whole = { posts: [], users: USERS, accounts: ACCOUNTS, comments: [], tags: [], ...given }
  return Object.fromEntries(Object.entries(whole).map(([name, rows]) => [`${name}.json`, rows]))
}

test('questions, answers and comments come along, articles and what is below them don’t', async (t) => {
  const files = anExport({
    posts: [
      // Answers may stand before their questions.
      answer(2, 1, { lastEditDate: '2026-02-02T00:00:00Z' }),
      question(1, { acceptedAnswerId: 2 }),
      question(3, { acceptedAnswerId: 2, closedDate: AT }),
      answer(4, 3, { ownerUserId: 9 }),
      question(5),
      { ...question(6), postType: 'article' },
      answer(7, 6),
      answer(8, 77),
      question(9, { deletionDate: AT }),
    ],
    comments: [
      comment(2, 2),
      comment(3, 1, { userId: 8 }),
      comment(4, 6),
      comment(5, 99),
      comment(6, 1, { text: ' ' }),
    ],
  })
  const { lines, counts } = await converted(t, files)
  assert.deepEqual(columnsOf(lines.questions, 'id', 'status', 'accepted_answer', 'tags', 'votes', 'views'), [
    ['1', 'resolved', '2', ['hw1', 'c#'], 1, 4],
    ['3', 'resolved', null, ['hw1', 'c#'], 1, 4],
    ['5', 'unresolved', null, ['hw1', 'c#'], 1, 4],
  ])
  assert.equal(lines.questions[1]?.closed?.at, '2026-02-01T01:00:00.000Z')
  assert.deepEqual(columnsOf(lines.answers, 'id', 'question', 'edited_at'), [
    ['2', '1', '2026-02-02T00:00:00.000Z'],
    ['4', '3', null],
  ])
  assert.deepEqual(columnsOf(lines.replies, 'id', 'question', 'answer', 'author'), [
    ['2', '1', '2', { person: '7' }],
    ['3', '1', null, { person: '8' }],
  ])
  assert.deepEqual(allSkips(counts), {
    'other posts': { 'of the kind article': 1, 'deleted there': 1 },
    answers: { 'their question was left out or is not in the file': 2 },
    replies: { 'their post was left out': 1, 'their post is not in the file': 1, 'without text': 1 },
  })
})

test('addresses are those of accounts, of authors alone; the system is a former member', async (t) => {
  const files = anExport({
    posts: [
      question(1),
      answer(2, 1, { ownerUserId: -1 }),
      answer(3, 1, { ownerUserId: null }),
      answer(4, 1, { ownerUserId: 9 }),
      answer(5, 1, { ownerUserId: 44 }),
    ],
  })
  const { lines, text } = await converted(t, files)
  assert.deepEqual(columnsOf(lines.people, 'id', 'name', 'email', 'role'), [
    ['7', 'Mina', 'a70@example.org', null],
    ['9', 'Kim', 'a90@example.org', 'assistant'],
    ['44', 'user44', null, null],
  ])
  assert.deepEqual(valuesOf(lines.answers, 'author'), [
    { former: 'Former member' },
    { former: 'Former member' },
    { person: '9' },
    { person: '44' },
  ])
  assert.doesNotMatch(text, /Silent|a100@/)
})

const LINKS: readonly [written: string, led: string][] = [
  ['[a](/a/2)', '[a](exchange:answer/2)'],
  ['[a](/questions/1/slug)', '[a](exchange:question/1)'],
  ['[a](/questions/1/slug/2#2)', '[a](exchange:answer/2)'],
  ['https://stackoverflowteams.com/c/ours/q/1', '[#1](exchange:question/1)'],
  ['[a](https://stackoverflow.com/c/ours/a/2)', '[a](exchange:answer/2)'],
  ['[a](https://ours.stackenterprise.co/questions/1/x)', '[a](exchange:question/1)'],
  // The public site has posts with the same numbers.
  ['[a](https://stackoverflow.com/questions/1/x)', '[a](https://stackoverflow.com/questions/1/x)'],
  ['[a](/questions/99)', 'a'],
  ['[a][1]\n\n[1]: /a/2', '[a][1]\n\n[1]: exchange:answer/2'],
]
for (const [written, led] of LINKS) {
  test(`a text has ${JSON.stringify(led)} of ${JSON.stringify(written)}`, async (t) => {
    const { lines } = await converted(
      t,
      anExport({ posts: [question(1, { bodyMarkdown: written }), answer(2, 1)] }),
    )
    assert.equal(lines.questions[0]?.body, led)
  })
}

test('broken structure is refused with file, place and reason', async (t) => {
  await assert.rejects(converted(t, anExport({ posts: [question(1), { id: 'x' }] })), {
    message: /^posts\.json, record 2: id: /,
  })
  const users = [{ id: 1, creationDate: '2026-02-31T00:00:00Z' }]
  await assert.rejects(converted(t, anExport({ users }), { source: TEAMS }), {
    message: /^users\.json, record 1: creationDate: "2026-02-31T00:00:00Z" is not a time$/,
  })
  const { notes } = await converted(t, anExport({ posts: [question(1, { colour: 1 })] }))
  assert.deepEqual(notes, { 'posts.json: "colour": a member that is not known, left out': 1 })
})

test('its files are told by what is in them', async (t) => {
  assert.deepEqual(await recognizedBy(t, anExport({ posts: [question(1)] })), ['stackoverflow'])
})

test('a zip is imported with its pictures, for members alone, and once', async (t) => {
  const db = await testDatabase(t)
  const store = fileStore(await aFolder(t))
  const picture = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const bodyMarkdown =
    'See ![x](https://i.stack.imgur.com/a1.png) and ![y](/images/none.png), #1, [it](/a/2).'
  const posts = [question(1, { bodyMarkdown }), answer(2, 1)]
  const imported = async (...posts: readonly Given[]) =>
    importedInto(t, db, await aZipOf(t, { ...anExport({ posts }), 'images/a1.png': picture }), { store })
  await imported(...posts)
  const course = await rowOf(db, 'courses', {})
  assert.deepEqual([course.is_public, course.asking, course.language], [false, 'members', 'en'])
  const { name } = await rowOf(db, 'images', {})
  const { id, body } = await rowOf(db, 'questions', {})
  const answered = await rowOf(db, 'answers', {})
  assert.equal(body, `See ![x](/uploads/${name}) and y, \\#1, [it](/questions/${id}#answer-${answered.id}).`)
  assert.deepEqual(valuesOf(await rowsOf(db, 'people', {}), 'email'), [null, null])
  const { tally } = await imported(...posts, question(3))
  assert.deepEqual([tally.counts.questions?.imported, tally.counts.answers?.imported], [1, 0])
  assert.equal((await rowsOf(db, 'images', {})).length, 1)
})

test('10,000 posts are converted', async (t) => {
  const posts = Array.from({ length: 5000 }, (_, index) => [
    question(2 * index + 1),
    answer(2 * index + 2, 2 * index + 1),
  ])
  const { lines } = await converted(t, anExport({ posts: posts.flat() }))
  assert.deepEqual([lines.questions.length, lines.answers.length], [5000, 5000])
})

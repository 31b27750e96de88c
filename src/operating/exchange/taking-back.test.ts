import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { recordEvents } from '../../forum/events/testing.ts'
import { fileStore } from '../../forum/pictures/store.ts'
import { castVote } from '../../forum/posts/vote.ts'
import { countStaleDocuments } from '../../forum/search/index-question.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { act, refuses } from '../../testing/act.ts'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { addRow, rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { importExchange } from './course-import.ts'
import { aFolder, aWholeCourse, exportedFrom } from './course-testing.ts'
import { aSmallExport, type SmallExport } from './small-export-testing.ts'
import { importTakingBack, takeBackSome, takingBack } from './taking-back.ts'
import { whatStays } from './what-stays.ts'

test('what an import brought goes as if it had never come, and comes whole with another', async (t) => {
  const { db, course, staff, run, take, path, folder } = await aTakenCourse(t)
  const app = await testApp(t, db)
  const own = await aQuestion(db, { course, tags: ['own'] })
  await setRows(db, 'questions', own.id, {
    duplicate_of: (await rowOf(db, 'questions', { status: 'resolved' })).id,
  })
  const secret = await rowOf(db, 'imported_posts', {
    question_id: (await rowOf(db, 'questions', { audience: 'staff' })).id,
  })
  const open = await rowOf(db, 'imported_posts', {
    answer_id: (await rowOf(db, 'answers', { endorsed_by: null, is_anonymous: false })).id,
  })
  const happened = await recordEvents(db)
  assert.deepEqual(await whatStays(db, run), { count: 0, listed: [] })
  await take({ with_answers: '0' })
  assert.deepEqual(await happened(), [])
  assert.deepEqual(valuesOf(await rowsOf(db, 'questions', {}), 'id'), [own.id])
  for (const table of ['answers', 'lectures', 'announcements', 'faq_entries', 'imported_people'] as const)
    assert.deepEqual(await rowsOf(db, table, {}), [], table)
  assert.deepEqual(valuesOf(await rowsOf(db, 'people', {}), 'id').sort(), [staff.id, own.authorId].sort())
  assert.deepEqual(valuesOf(await rowsOf(db, 'tags', {}), 'name'), ['own'])
  assert.deepEqual(await recount(db), [])
  assert.equal(await countStaleDocuments(db), 0)

  const reader = visitor(app)
  const link = (id: string) => `/from/handup/${encodeURIComponent(id)}?course=moved`
  await setRows(db, 'courses', { slug: 'moved' }, { is_public: true })
  assert.equal((await reader.get(link(open.external_id))).statusCode, 410)
  assert.equal((await reader.get(link(secret.external_id))).statusCode, 404)
  await setRows(db, 'courses', { slug: 'moved' }, { is_public: false })
  assert.equal((await reader.get(link(open.external_id))).statusCode, 404)
  await setRows(db, 'courses', { slug: 'moved' }, { is_public: true })

  const { tally } = await importExchange(db, fileStore(join(folder, 'others')), {
    path,
    course: { slug: 'moved' },
  })
  assert.equal(tally.counts.questions?.imported, 7)
  assert.equal(tally.counts.answers?.skipped.size, 0)
  assert.equal((await reader.get(link(open.external_id))).statusCode, 301)
  assert.deepEqual(await recount(db), [])
})

const THREADS: SmallExport = {
  people: [{}, { id: 'jun', name: 'Jun' }],
  categories: [{ id: 'ideas' }],
  questions: [
    'answered',
    'replied',
    'voted',
    'answer voted',
    'endorsed',
    'in the FAQ',
    'claimed',
    'untouched',
  ].map((id) => ({
    ...{ id, title: id, category: 'ideas', tags: [id.replaceAll(' ', '-')] },
    author: { person: id === 'claimed' ? 'jun' : 'mara' },
  })),
  answers: ['replied', 'answer voted', 'endorsed', 'untouched'].map((id) => ({ id, question: id })),
}

/** Each thread but one with something by people here. */
async function aUsedCourse(t: TestContext) {
  const made = await aSmallCourse(t, THREADS)
  const { db, staff, course } = made
  const threadOf = async (title: string) => {
    const { id, author_id: authorId } = await rowOf(db, 'questions', { title })
    return { id, title, authorId, courseId: course.id }
  }
  const answerIn = async (title: string) => {
    const question = await threadOf(title)
    const { id, author_id: authorId } = await rowOf(db, 'answers', { question_id: question.id })
    return { id, authorId, question }
  }
  await anAnswer(db, { question: await threadOf('answered') })
  await aReply(db, { answer: await answerIn('replied') })
  const voter = await aPerson(db)
  await castVote(db, { kind: 'question', id: (await threadOf('voted')).id }, voter.id, true)
  await castVote(db, { kind: 'answer', id: (await answerIn('answer voted')).id }, voter.id, true)
  await setRows(db, 'answers', (await answerIn('endorsed')).id, {
    endorsed_by: staff.id,
    endorsed_at: new Date(),
  })
  const entry = { course_id: course.id, question_id: (await threadOf('in the FAQ')).id, position: 1 }
  await addRow(db, 'faq_entries', { ...entry, state: 'shown' })
  const jun = await rowOf(db, 'imported_people', { external_id: 'jun' })
  await setRows(db, 'people', jun.person_id, { email: 'jun@example.org', is_unclaimed: false })
  return made
}

test('what people here have added to stays, and is listed before', async (t) => {
  const { db, run, take } = await aUsedCourse(t)
  const { count, listed } = await whatStays(db, run)
  assert.equal(count, 7)
  assert.deepEqual(
    listed.map(({ title, questionId: _q, id: _i, kind: _k, ...why }) => [
      title,
      Object.entries(why)
        .flatMap(([reason, holds]) => (holds ? [reason] : []))
        .join(),
    ]),
    [
      ['answered', 'isAnswered'],
      ['replied', 'isAnswered'],
      ['voted', 'isVoted'],
      ['answer voted', 'isVoted'],
      ['endorsed', 'isEndorsed'],
      ['in the FAQ', 'isEndorsed'],
      ['claimed', 'isClaimed'],
    ],
  )
  await take({})
  assert.deepEqual(
    valuesOf(await rowsOf(db, 'questions', {}), 'title'),
    listed.map(({ title }) => title),
  )
  assert.equal((await rowsOf(db, 'answers', {})).length, 4)
  assert.deepEqual(valuesOf(await rowsOf(db, 'imported_people', {}), 'external_id').sort(), ['jun', 'mara'])
  assert.ok(await rowOf(db, 'categories', { slug: 'ideas' }))
  assert.ok(!valuesOf(await rowsOf(db, 'tags', {}), 'name').includes('untouched'))
  assert.deepEqual(await recount(db), [])
})

test('what people here have added to goes if that is ticked', async (t) => {
  const { db, take } = await aUsedCourse(t)
  await take({ with_answers: '1' })
  for (const table of ['questions', 'answers', 'replies', 'tags'] as const)
    assert.deepEqual(await rowsOf(db, table, {}), [], table)
  assert.deepEqual(await rowsOf(db, 'categories', { slug: 'ideas' }), [])
  // An account that somebody has stays, and is theirs alone.
  assert.deepEqual(valuesOf(await rowsOf(db, 'imported_people', {}), 'external_id'), ['jun'])
  assert.deepEqual(await recount(db), [])
})

test('of a later import only what it brought goes, from threads of an earlier one too', async (t) => {
  const { db, take } = await aSmallCourse(t, {
    questions: [{ id: '1' }],
    answers: [{ id: '2', question: '1' }],
  })
  const path = await aSmallExport(t, {
    questions: [{ id: '1', accepted_answer: '3' }],
    answers: [{ id: '3' }, { id: '4' }],
    replies: [
      { id: '5', answer: '2' },
      { id: '6', answer: '3' },
    ],
  })
  const { runId } = await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  const { id, accepted_answer_id } = await rowOf(db, 'questions', {})
  assert.ok(accepted_answer_id)
  const kept = await rowOf(db, 'imported_posts', { external_id: '4' })
  await castVote(db, { kind: 'answer', id: kept.answer_id ?? 0 }, (await aPerson(db)).id, true)
  assert.deepEqual(
    (await whatStays(db, runId)).listed.map(({ kind, questionId, isVoted }) => [kind, questionId, isVoted]),
    [['answer', id, true]],
  )
  await take({}, runId)
  const question = await rowOf(db, 'questions', {})
  assert.deepEqual(
    [question.status, question.accepted_answer_id, question.answers_count],
    ['unresolved', null, 2],
  )
  assert.deepEqual(await rowsOf(db, 'replies', {}), [])
  const there = (await rowsOf(db, 'imported_posts', {})).filter((post) => post.question_id ?? post.answer_id)
  assert.deepEqual(valuesOf(there, 'external_id').sort(), ['1', '2', '4'])
  assert.deepEqual(await recount(db), [])
  assert.equal(await countStaleDocuments(db), 0)
})

test('it is for instructors, for a week, once, and while no other import is unfinished', async (t) => {
  const { db, course, staff, run } = await aSmallCourse(t, {})
  const key = { slug: course.slug, part: run }
  const assistant = await aMember(db, course, 'assistant')
  await refuses({ db }, importTakingBack, { actor: assistant, key }, [[{}, 'forbidden']])
  const other = await aCourse(db, { slug: 'other' })
  const elsewhere = await aMember(db, other, 'instructor')
  await refuses({ db }, importTakingBack, { actor: elsewhere, key: { slug: 'other', part: run } }, [
    [{}, 'notFound'],
  ])
  const refused = (why: string) =>
    refuses({ db }, importTakingBack, { actor: staff, key }, [[{}, `with_answers: imports.takeBack.${why}`]])
  await setRows(db, 'import_runs', run, { ended_at: new Date(Date.now() - 8 * 24 * 3_600_000) })
  await refused('late')
  await setRows(db, 'import_runs', run, { ended_at: new Date() })
  const reading = { course_id: course.id, source: 'ed', origin: '8', digest: Buffer.alloc(32) }
  await db.insertInto('import_runs').values(reading).execute()
  await refused('reading')
  await sql`delete from import_runs where state = 'reading'`.execute(db)
  await act({ db }, importTakingBack, { actor: staff, key })
  await refused('again')
})

test('an import that begins while another is taken back goes on with that first', async (t) => {
  const { db, course, staff, run, path } = await aSmallCourse(t, { questions: [{ id: '1' }] })
  await act({ db }, importTakingBack, { actor: staff, key: { slug: course.slug, part: run } })
  assert.equal(await takeBackSome(db, run), true)
  const { tally } = await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  assert.equal(tally.counts.questions?.imported, 1)
  assert.equal((await rowOf(db, 'import_runs', { id: run })).state, 'taken-back')
  assert.equal((await rowsOf(db, 'questions', {})).length, 1)
  await doJobs(db, takingBack(db))
  assert.equal((await rowsOf(db, 'questions', {})).length, 1)
})

/** An import into a course of somebody, who takes it back. */
async function aSmallCourse(t: TestContext, lines: SmallExport) {
  const db = await testDatabase(t)
  const course = await aCourse(db, { slug: 'moved' })
  const staff = await aMember(db, course, 'instructor')
  const path = await aSmallExport(t, lines)
  const { runId: run } = await importExchange(db, fileStore(path), { path, course: { slug: 'moved' } })
  return { db, course, staff, path, run, take: takerOf(db, staff, run) }
}

const takerOf =
  (db: Database, staff: { readonly id: number }, run: number) =>
  async (input: Readonly<Record<string, unknown>>, part = run) => {
    await act({ db }, importTakingBack, { actor: staff, key: { slug: 'moved', part }, input })
    await doJobs(db, takingBack(db))
  }

async function aTakenCourse(t: TestContext) {
  const folder = await aFolder(t)
  const [from, path, pictures] = [await testDatabase(t), join(folder, 'export'), join(folder, 'pictures')]
  await aWholeCourse(from, pictures)
  await exportedFrom(from, { pictures, path })
  const db = await testDatabase(t)
  const course = await aCourse(db, { slug: 'moved' })
  const staff = await aMember(db, course, 'instructor')
  const { runId: run } = await importExchange(db, fileStore(join(folder, 'others')), {
    path,
    course: { slug: 'moved' },
  })
  return { db, course, staff, path, folder, run, take: takerOf(db, staff, run) }
}

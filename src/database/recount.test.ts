import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { writeQuestion } from '../forum/questions/commands.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabase } from '../testing/database.ts'
import { sharedForum } from '../testing/forum.ts'
import { aText, deleteAnswer, deleteQuestion } from '../testing/posts.ts'
import { rowOf, setRows } from '../testing/rows.ts'
import { untilWaiting } from '../testing/waiting.ts'
import { within } from '../testing/within.ts'
import { recount } from './recount.ts'
import type { Database } from './schema.ts'

/** Every counter of the schema, and an offset that makes it wrong but keeps a course's counters consistent. */
const COUNTERS = [
  ['people', 'questions_count', 1],
  ['people', 'answers_count', 2],
  ['questions', 'answers_count', 3],
  ['questions', 'votes_count', 4],
  ['answers', 'votes_count', 5],
  ['courses', 'questions_count', 9],
  ['courses', 'resolved_count', 1],
  ['courses', 'unanswered_count', 1],
  ['lectures', 'questions_count', 6],
  ['lectures', 'unresolved_count', 8],
  ['cases', 'reports_count', 12],
  ['course_tags', 'questions_count', 7],
  ['course_authors', 'questions_count', 10],
  ['course_authors', 'answers_count', 11],
] as const

test('nothing differs after asking, answering, voting, importing votes and deleting', async (t) => {
  const db = await testDatabase(t)
  await someLife(db)

  assert.deepEqual(await recount(db), [])
})

// Search statistics are refreshed periodically and may be stale.
test('every counter of the schema is looked at', async (t) => {
  const db = await testDatabase(t)
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and table_name not like 'search%' and column_name like '%\_count' and column_name not in ('views_count', 'imported_votes_count')
    order by 1`.execute(db)

  assert.deepEqual(
    rows.map((row) => row.name),
    COUNTERS.map(([table, column]) => `${table}.${column}`).sort(),
  )
})

suite('a wrong counter is found, with both numbers, and set right', () => {
  const forum = sharedForum()
  before(() => someLife(forum.db))

  for (const [table, column, surplus] of COUNTERS)
    test(`${table}.${column}`, async () => {
      const { db } = forum
      await db.transaction().execute(async (write) => {
        await sql`set local handup.bulk = 'on'`.execute(write)
        await sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} + ${surplus}
          where ctid = (select max(ctid) from ${sql.table(table)})`.execute(write)
      })
      const found = await recount(db)
      assert.deepEqual(
        found.map(({ counter, stored, counted }) => [counter, stored - counted]),
        [[`${table}.${column}`, surplus]],
      )
      assert.deepEqual(await recount(db, { fix: true }), found)
      assert.deepEqual(await recount(db), [])
    })
})

test('a tag that a course does not count at all is found and counted', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { tags: ['java'] })
  await db.deleteFrom('course_tags').execute()
  const { id } = await rowOf(db, 'tags', {})
  const counter = 'course_tags.questions_count'
  const missing = [{ counter, id, courseId: question.courseId, stored: 0, counted: 1 }]
  assert.deepEqual(await recount(db), missing)
  assert.deepEqual(await recount(db, { fix: true }), missing)
  assert.deepEqual(await recount(db), [])
})

test('an author whom a course does not count at all is found and counted', async (t) => {
  const db = await testDatabase(t)
  const question = await aQuestion(db, { answers: 1 })
  const { author_id: helper } = await rowOf(db, 'answers', {})
  await db.deleteFrom('course_authors').execute()
  const missing = { courseId: question.courseId, stored: 0, counted: 1 }
  const expected = [
    { ...missing, counter: 'course_authors.answers_count', id: helper },
    { ...missing, counter: 'course_authors.questions_count', id: question.authorId },
  ]
  assert.deepEqual(await recount(db, { fix: true }), expected)
  assert.deepEqual(await recount(db), [])
})

test('what moves to another course, or goes for good, is counted there, or no more', async (t) => {
  const db = await testDatabase(t)
  const [one, other] = [await aCourse(db), await aCourse(db)]
  const [asker, helper] = [await aPerson(db), await aPerson(db)]
  const question = await aQuestion(db, { course: one, author: asker })
  await anAnswer(db, { question, author: helper })
  await anAnswer(db, { question, author: asker })
  const written = () =>
    db
      .selectFrom('course_authors')
      .select(['course_id', 'person_id', 'questions_count', 'answers_count'])
      .where((row) => row('questions_count', '>', 0).or('answers_count', '>', 0))
      .orderBy('person_id')
      .execute()
  const inCourse = (course_id: number) => [
    { course_id, person_id: asker.id, questions_count: 1, answers_count: 1 },
    { course_id, person_id: helper.id, questions_count: 0, answers_count: 1 },
  ]
  assert.deepEqual(await written(), inCourse(one.id))

  const moved = { course_id: other.id, category_id: other.categoryId, lecture_id: null }
  await setRows(db, 'questions', question.id, moved)
  assert.deepEqual(await written(), inCourse(other.id))

  await db.deleteFrom('questions').where('id', '=', question.id).execute()
  assert.deepEqual(await written(), [])
  assert.deepEqual(await recount(db), [])
})

test('a counter that changes while it is compared is left as it is, so no count is lost', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const author = await aPerson(db)
  await db.updateTable('courses').set({ questions_count: 500 }).execute()
  let fixing: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (write) => {
    const body = await aText('Is it counted?')
    const place = { courseId: course.id, categoryId: course.categoryId, lectureId: null }
    await writeQuestion(write, { ...place, authorId: author.id, title: 'Asked meanwhile', body, tags: [] })
    await sql`set constraints all immediate`.execute(write)
    // Its comparison sees the wrong 500 without this question, then waits for this transaction.
    fixing = recount(db, { fix: true })
    await untilWaiting(db)
  })
  await fixing

  const [difference, ...others] = await recount(db)
  assert.deepEqual([difference?.stored, difference?.counted, others], [501, 1, []])
  await recount(db, { fix: true })
  assert.deepEqual(await recount(db), [])
})

/** A course with questions in every state, a deleted question and a deleted answer, and imported scores. */
async function someLife(db: Database): Promise<void> {
  const course = await aCourse(db, { lectures: ['One', 'Two'] })
  const lectureId = course.lectureIds[0] ?? 0
  const author = await aPerson(db)
  await aQuestion(db, { course, author, lectureId, tags: ['java'] })
  const question = await aQuestion(db, { course, lectureId, tags: ['java', 'rest'], votes: 2, answers: 2 })
  await anAnswer(db, { question, author, votes: 3, isAccepted: true })
  const deleted = await aQuestion(db, { course, author, lectureId, tags: ['java'], votes: 1 })
  await anAnswer(db, { question: deleted, author })
  await within(db, deleteQuestion, deleted.id)
  const answer = await anAnswer(db, { question, author, votes: 1 })
  await within(db, deleteAnswer, question.id, answer.id)
  await aReportOf(db, question.id)
  await sql`update questions set imported_votes_count = -5, votes_count = votes_count - 5`.execute(db)
}

async function aReportOf(db: Database, questionId: number): Promise<void> {
  await sql`
    with opened as (
      insert into cases (subject, question_id, is_for_admins, is_reported, text_version, reason, reports_count)
      values (${`question-${questionId}`}, ${questionId}, true, true, '1', 'spam', 1) returning id)
    insert into reports (case_id, is_by_visitor, text_version, reason, language)
    select id, true, '1', 'spam', 'en' from opened`.execute(db)
}

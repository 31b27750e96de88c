import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { indexNewQuestions } from '../../forum/search/index-question.ts'
import { aCourse } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { loadForum } from './load.ts'

const quiet = { begin() {}, advance() {} }

test('a generated forum has every counter, document and copy right, and all indexes and keys again', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const before = await definitions(db)
  await loadForum(url, { questions: 600, seed: 5, course: null }, quiet)

  assert.deepEqual(await definitions(db), before)
  assert.deepEqual(await recount(db), [])
  assert.deepEqual(await differingDocuments(db), [])
  assert.deepEqual(await differingTags(db), [])
})

test('a generated forum is about as real ones are', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await loadForum(url, { questions: 1000, seed: 6, course: 'load-test' }, quiet)
  const { rows } = await sql<Record<string, number>>`
    select count(*)::integer as questions, count(distinct course_id)::integer as courses,
      avg(answers_count)::float8 as answers, avg((title ~ '[가-힣]')::integer)::float8 as korean,
      avg((status = 'resolved')::integer)::float8 as resolved, avg((answers_count = 0)::integer)::float8 as unanswered,
      max(votes_count)::float8 / greatest(avg(votes_count), 0.01)::float8 as votes_spread,
      max(views_count)::float8 / avg(views_count)::float8 as views_spread,
      (select count(*)::integer from replies) as replies,
      (select max(questions_count)::float8 / avg(questions_count)::float8 from people where questions_count > 0) as authors_spread,
      (select max(questions_count)::float8 / avg(questions_count)::float8 from course_tags) as tags_spread
    from questions`.execute(db)
  const figures = rows[0] ?? {}
  const between = (name: string, least: number, most: number) => {
    const value = figures[name] ?? Number.NaN
    assert.ok(value >= least && value <= most, `${name} is ${value}`)
  }
  assert.deepEqual(
    [figures.questions, figures.courses, figures.answers, figures.replies],
    [1000, 1, 2.5, 1200],
  )
  between('korean', 0.28, 0.39)
  between('resolved', 0.35, 0.65)
  between('unanswered', 0.08, 0.2)
  for (const spread of ['votes_spread', 'views_spread', 'authors_spread', 'tags_spread'])
    between(spread, 5, 1e6)
  for (const table of ['questions', 'answers', 'replies']) assert.equal(await countDisordered(db, table), 0)
})

test('a course of one’s own that has no lectures gets questions about none', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const course = await aCourse(db, { lectures: [] })
  await loadForum(url, { questions: 60, seed: 9, course: course.slug }, quiet)
  const { rows } = await sql<{ questions: number; about: number }>`
    select count(*)::integer as questions, count(lecture_id)::integer as about from questions
    where course_id = ${course.id}`.execute(db)
  assert.deepEqual(rows, [{ questions: 60, about: 0 }])
})

test('a second run adds to the first, and the same seed gives the same texts', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  for (const seed of [7, 7, 8]) await loadForum(url, { questions: 40, seed, course: null }, quiet)
  const { rows } = await sql<{ title: string }>`select title from questions order by id`.execute(db)
  const titles = rows.map((row) => row.title)

  assert.equal(titles.length, 120)
  assert.deepEqual(titles.slice(0, 40), titles.slice(40, 80))
  assert.notDeepEqual(titles.slice(0, 40), titles.slice(80))
  assert.deepEqual(await recount(db), [])
})

test('a run that fails halfway leaves the database as it was', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const before = await definitions(db)
  const failing = {
    begin(step: string) {
      if (step === 'indexes') throw new Error('halfway')
    },
    advance() {},
  }
  await assert.rejects(loadForum(url, { questions: 40, seed: 9, course: null }, failing), /halfway/)

  assert.deepEqual(await definitions(db), before)
  for (const table of ['questions', 'people', 'courses', 'tags']) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(
      db,
    )
    assert.equal(rows[0]?.count, 0, table)
  }
})

/** Every index, constraint and trigger of the schema. */
async function definitions(db: Database): Promise<string[]> {
  const { rows } = await sql<{ definition: string }>`
    select indexdef as definition from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace and convalidated
    union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
    order by 1`.execute(db)
  return rows.map((row) => row.definition)
}

/** Search documents that differ from what the forum itself would write. */
async function differingDocuments(db: Database) {
  await sql`create table made as select * from search_documents`.execute(db)
  const { rows } = await sql<{ question_id: number }>`select question_id from made`.execute(db)
  await db.transaction().execute((write) =>
    indexNewQuestions(
      write,
      rows.map((row) => row.question_id),
    ),
  )
  const differing = await sql<{ question_id: number }>`
    select question_id from made join search_documents as kept using (question_id)
    where made.terms is distinct from kept.terms or abs(made.score - kept.score) > 0.0001
      or (made.course_id, made.state, made.terms_version) is distinct from (kept.course_id, kept.state, kept.terms_version)`.execute(
    db,
  )
  return differing.rows
}

/** Question tags whose copied columns differ from their question's. */
async function differingTags(db: Database) {
  const { rows } = await sql`
    select tag.question_id from question_tags as tag join questions as q on q.id = tag.question_id
    where (tag.course_id, tag.state, tag.written_at, tag.active_at, tag.is_deleted)
      is distinct from (q.course_id, q.state, q.written_at, q.active_at, q.deleted_at is not null)`.execute(
    db,
  )
  return rows
}

async function countDisordered(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select written_at < lag(written_at) over (order by id) as is_disordered from ${sql.table(table)}) as post
    where is_disordered`.execute(db)
  return rows[0]?.count ?? -1
}

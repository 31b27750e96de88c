import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { refreshStatistics } from '../../forum/search/statistics.ts'
import { atEnd } from '../../testing/at-end.ts'
import { filledDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump } from '../../testing/dumps.ts'

/** Posts: a question with an answer each. */
const [SMALL, LARGE] = [500, 5000]
/** What counters are made of, and counters. */
const TABLES = [
  ...['people', 'questions', 'answers', 'question_votes', 'answer_votes', 'question_tags'],
  ...['lectures', 'course_tags', 'course_authors', 'question_desk'],
]

test('an import recounts what it brought: the rest of its course is read for the counters of the course alone', async (t) => {
  const [small, large] = [await costOfFour(t, SMALL), await costOfFour(t, LARGE)]
  assert.deepEqual(large.written, small.written)
  // The three counters of the course read its questions and answers; recounting everything reads some forty rows for each.
  const more = (large.read - small.read) / (LARGE - SMALL)
  assert.ok(more <= 5, `${more} rows are read for each question more: ${JSON.stringify([small, large])}`)
})

/** The rows that are read and written as four questions with answers are imported into a course of this size. */
async function costOfFour(t: TestContext, size: number) {
  // One session, which tells its own figures, in a database of its own: who empties one that was used tells late what it deleted.
  const { url } = await filledDatabase(t, 'nothing', async () => undefined)
  const db = connect(url, { connections: 1, statementTimeout: 60_000 })
  atEnd(t, () => db.destroy())
  await importDump(t, db, { posts: [aDumpQuestion(), aDumpAnswer()] })
  await multiply(db, size)
  await refreshStatistics(db)
  const before = await work(db)
  const ids = [11, 12, 13, 14]
  await importDump(t, db, {
    users: ids.map((Id) => ({ Id, DisplayName: `Person ${Id}` })),
    posts: [
      aDumpQuestion(),
      ...ids.map((Id) => aDumpQuestion({ Id, OwnerUserId: Id, Tags: '<new>', AcceptedAnswerId: Id + 10 })),
      ...ids.map((Id) => aDumpAnswer({ Id: Id + 10, ParentId: Id, OwnerUserId: Id })),
      // And an answer to a question that was there.
      aDumpAnswer({ Id: 31, OwnerUserId: 11 }),
    ],
  })
  const after = await work(db)
  assert.deepEqual(await recount(db), [])
  const written = Object.entries(after.written).map(([table, rows]) => [
    table,
    rows - (before.written[table] ?? 0),
  ])
  return { read: after.read - before.read, written: Object.fromEntries(written) }
}

/** As many questions with an answer and an author of their own as the one that is there. */
async function multiply(db: Database, size: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    await sql`select set_config('handup.bulk', 'on', true)`.execute(write)
    await sql`
      insert into people (display_name) select 'Author ' || n from generate_series(1, ${size}::integer) as n`.execute(
      write,
    )
    await sql`
      insert into questions (course_id, category_id, author_id, title, body, body_html, renderer_version)
      select course_id, category_id, person.id, title, body, body_html, renderer_version
      from (select * from questions limit 1) as question, people as person where display_name like 'Author %'`.execute(
      write,
    )
    await sql`
      insert into answers (question_id, author_id, body, body_html, renderer_version)
      select id, author_id, body, body_html, renderer_version from questions where answers_count = 0`.execute(
      write,
    )
    await sql`analyze people, questions, answers`.execute(write)
    await recount(write, { fix: true })
  })
  await sql`analyze`.execute(db)
}

/** Rows that were read, through tables and indexes, and by table those that were written. */
async function work(db: Database): Promise<{ read: number; written: Record<string, number> }> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ read: number; written: Record<string, number> }>`
    select sum(seq_tup_read + (
        select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes as index where index.relid = kept.relid
      ))::float8 as read, json_object_agg(relname, n_tup_ins + n_tup_upd + n_tup_del) as written
    from pg_stat_user_tables as kept where schemaname = 'public' and relname = any(${TABLES}::text[])`.execute(
    db,
  )
  const [told] = rows
  assert.ok(told)
  return told
}

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { foldOldReads, markCourseRead } from './course-reads.ts'
import { markRead } from './read.ts'

const ago = (days: number) => sql<Date>`(now() - make_interval(days => ${days}))`

async function aReader(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const person = await aMember(db, course)
  const read = (what: typeof markRead, id: number, days: number) =>
    db.transaction().execute((write) => what(write, id, person.id, ago(days)))
  const readUpTo = async () => {
    const { rows } = await sql<{ days: number }>`
      select extract(day from now() - read_up_to)::integer as days from course_reads
      where course_id = ${course.id} and person_id = ${person.id}`.execute(db)
    return rows.map(({ days }) => days)
  }
  return { db, course, person, read, readUpTo }
}

suite('how far a course was read', () => {
  test('only ever grows', async (t) => {
    const { course, read, readUpTo } = await aReader(t)
    for (const [days, known] of [
      [300, 300],
      [200, 200],
      [250, 200],
    ] as const) {
      await read(markCourseRead, course.id, days)
      assert.deepEqual(await readUpTo(), [known])
    }
  })

  test('takes the place of old reads of single questions, and of none that is newer', async (t) => {
    const { db, course, person, read, readUpTo } = await aReader(t)
    const newer = await aQuestion(db, { course })
    for (const days of [400, 220, 300]) await read(markRead, (await aQuestion(db, { course })).id, days)
    await read(markRead, newer.id, 100)
    assert.equal(await foldOldReads(db), 3)
    assert.deepEqual(await readUpTo(), [220])
    assert.deepEqual(
      await db
        .selectFrom('question_reads')
        .select('question_id')
        .where('person_id', '=', person.id)
        .execute(),
      [{ question_id: newer.id }],
    )
    assert.equal(await foldOldReads(db), 0)
  })

  test('keeps old questions read in lists, and marks them when something comes', async (t) => {
    const { db, course, person, read } = await aReader(t)
    const { app, changes } = await testAppThatHears(t, db)
    const question = await aQuestion(db, { course })
    await sql`update questions set written_at = ${ago(400)}, active_at = ${ago(400)}`.execute(db)
    await read(markRead, question.id, 300)
    const reader = await signedIn(app, person)
    const list = async () => (await reader.get(`/courses/${course.slug}`)).body
    await changes.caughtUp()
    for (const folded of [0, 1]) {
      assert.equal(await foldOldReads(db), 1 - folded)
      await changes.caughtUp()
      assert.doesNotMatch(await list(), /question-row unread/)
    }
    await anAnswer(db, { question })
    await changes.caughtUp()
    assert.match(await list(), /question-row unread/)
  })
})

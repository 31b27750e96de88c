import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { closedAccount } from '../../accounts/identity/closed-account.ts'
import { testAppThatHears } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { recordStatements } from '../../testing/statements.ts'
import { within } from '../../testing/within.ts'
import { beginCourseReads, foldOldReads, markCourseRead } from './opened-courses.ts'
import { markRead } from './read.ts'

const ago = (days: number) => sql<Date>`(now() - make_interval(days => ${days}))`

async function aReader(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const person = await aMember(db, course)
  const read = (what: typeof markRead, id: number, days: number) => within(db, what, id, person.id, ago(days))
  const readUpTo = async () => {
    const { rows } = await sql<{ days: number }>`
      select round(extract(epoch from now() - read_up_to) / 86400)::integer as days from course_reads
      where course_id = ${course.id} and person_id = ${person.id}`.execute(db)
    return rows.map(({ days }) => days)
  }
  return { db, course, person, read, readUpTo }
}

suite('people who open a course for the first time at about the same time', () => {
  test('are noted once, each from when they opened it', async (t) => {
    const db = await testDatabase(t)
    const { app, changes } = await testAppThatHears(t, db)
    const courses = [await aCourse(db), await aCourse(db)]
    const people = await Promise.all(Array.from({ length: 20 }, () => aPerson(db)))
    const readers = await Promise.all(people.map((person) => signedIn(app, person)))
    await changes.caughtUp()
    const statements = recordStatements(t)
    const open = () =>
      Promise.all(readers.flatMap((reader) => courses.map(({ slug }) => reader.get(`/courses/${slug}`))))
    await open()
    const asked = (await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('at')).executeTakeFirstOrThrow()).at
    await app.openedCourses.settled()
    const writes = () => statements.filter((text) => text.includes('insert into course_reads')).length
    assert.equal(writes(), 40)
    const reads = await rowsOf(db, 'course_reads', {})
    assert.equal(reads.length, 40)
    for (const { read_up_to } of reads) assert.ok(read_up_to <= asked, 'what comes afterwards is unread')
    await changes.caughtUp()
    const before = writes()
    await open()
    await app.openedCourses.settled()
    assert.equal(writes(), before)
  })

  test('keep what is known of those who opened it before, and those who left get nothing', async (t) => {
    const { db, course, person, read, readUpTo } = await aReader(t)
    await read(markCourseRead, course.id, 30)
    const gone = await aPerson(db)
    await setRows(db, 'people', gone.id, { ...closedAccount('Formerly there'), left_at: new Date() })
    const opened = { courseId: course.id, personId: person.id, age: 0 }
    for (const other of [{}, { personId: gone.id }, { courseId: 999_999 }])
      await beginCourseReads(db, { ...opened, ...other })
    assert.deepEqual(await readUpTo(), [30])
    assert.equal((await rowsOf(db, 'course_reads', {})).length, 1)
  })
})

suite('how far a course was read', () => {
  test('only ever grows, as how far a question was read does', async (t) => {
    const { db, course, person, read, readUpTo } = await aReader(t)
    const question = await aQuestion(db, { course })
    const known = []
    for (const days of [300, 200, 250]) {
      await read(markCourseRead, course.id, days)
      known.push(...(await readUpTo()))
      await read(markRead, question.id, days)
      const { read_at } = await rowOf(db, 'question_reads', { person_id: person.id })
      known.push(Math.round((Date.now() - read_at.getTime()) / 86_400_000))
    }
    assert.deepEqual(known, [300, 300, 200, 200, 200, 200])
  })

  test('takes the place of old reads of single questions, and of none that is newer', async (t) => {
    const { db, course, person, read, readUpTo } = await aReader(t)
    const newer = await aQuestion(db, { course })
    for (const days of [400, 220, 300]) await read(markRead, (await aQuestion(db, { course })).id, days)
    await read(markRead, newer.id, 100)
    assert.equal(await foldOldReads(db), 3)
    assert.deepEqual(await readUpTo(), [220])
    const left = await rowsOf(db, 'question_reads', { person_id: person.id })
    assert.deepEqual(valuesOf(left, 'question_id'), [newer.id])
    assert.equal(await foldOldReads(db), 0)
  })

  test('is left alone while the account is being closed', async (t) => {
    const { db, course, person, read, readUpTo } = await aReader(t)
    await read(markRead, (await aQuestion(db, { course })).id, 300)
    await db.transaction().execute(async (write) => {
      await sql`select from people where id = ${person.id} for update`.execute(write)
      assert.equal(await foldOldReads(db), 0)
    })
    assert.equal(await foldOldReads(db), 1)
    assert.deepEqual(await readUpTo(), [300])
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

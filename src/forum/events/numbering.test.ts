import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aCourse, aQuestion } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { readEventLog } from './cursor.ts'
import { sweepEvents } from './event.ts'
import { numberEvents } from './numbering.ts'

const numbered = (db: Database) =>
  db.selectFrom('events').select(['id', 'number']).where('number', 'is not', null).orderBy('number').execute()

/** Numbers from 1 on. */
const inOrder = (events: readonly unknown[]) => events.map((_, index) => index + 1)

test('an event of a transaction that commits late comes after what was numbered before, and none is left out', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const asked = await aQuestion(db, { course })
  await numberEvents(db)
  const late = await db.startTransaction().execute()
  await setRows(late, 'questions', asked.id, { title: 'A late title' })
  const other = await aQuestion(db, { course })
  // An open transaction holds up nobody.
  await numberEvents(db)
  const before = await numbered(db)
  const newest = await rowOf(db, 'events', { number: before.length })
  assert.equal(newest.question_id, other.id)
  await late.commit().execute()
  await numberEvents(db)
  const after = await numbered(db)
  assert.deepEqual(after.slice(0, -1), before)
  assert.equal(after.length, before.length + 1)
  const [last, first] = [after.at(-1), before.at(-1)]
  assert.ok(last !== undefined && first !== undefined && last.id < first.id, 'it has the earlier id')
  assert.deepEqual(valuesOf(after, 'number'), inOrder(after))
})

test('several processes number each event once, in one order', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  await sql`insert into events (type, course_id, audience)
    select 'course.imported', ${course.id}, 'course' from generate_series(1, 1200)`.execute(db)
  await Promise.all([1, 2, 3].map(() => numberEvents(db)))
  await numberEvents(db)
  const events = await numbered(db)
  assert.deepEqual(valuesOf(events, 'number'), inOrder(events))
  const ids = valuesOf(events, 'id')
  assert.deepEqual(
    ids,
    ids.toSorted((one, other) => one - other),
  )
  assert.equal((await readEventLog(db)).numberedTo, events.length)
})

test('who listens hears of the numbers in their transaction: where it fails, none are given', async (t) => {
  const db = await testDatabase(t)
  await aQuestion(db)
  const fails = () => Promise.reject(new Error('no delivery could be planned'))
  await assert.rejects(numberEvents(db, fails), /no delivery/)
  assert.deepEqual(await numbered(db), [])
  const heard: object[] = []
  await numberEvents(db, async (write, numbers) => {
    heard.push({ ...numbers, numbered: valuesOf(await rowsOf(write, 'events', {}), 'number') })
  })
  assert.deepEqual(heard, [{ from: 1, to: 1, numbered: [1] }])
})

test('events go after seven days, and no number comes again', async (t) => {
  const db = await testDatabase(t)
  for (const _ of [1, 2, 3]) await aQuestion(db)
  await numberEvents(db)
  await sql`update events set happened_at = now() - interval '7 days 1 minute' where number <= 2`.execute(db)
  await sql`update events set happened_at = now() - interval '6 days 23 hours' where number = 3`.execute(db)
  assert.equal(await sweepEvents(db), 2)
  const { epoch: _, ...log } = await readEventLog(db)
  assert.deepEqual(log, { numberedTo: 3, forgottenTo: 2 })
  await sql`delete from events`.execute(db)
  await aQuestion(db)
  await numberEvents(db)
  assert.deepEqual(valuesOf(await numbered(db), 'number'), [4])
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import { aCourse, aMember, anAnswer, aQuestion, aReply } from '../../testing/builders.ts'
import { setPromise } from '../../testing/courses.ts'
import { testDatabase } from '../../testing/database.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { markAllSeen } from './read.ts'
import { clarificationKind, promiseKind } from './reminders.ts'

type Someone = { readonly id: number }

/** @returns how many questions */
const tellOfPromises = (db: Database) => doJobs(db, promiseKind(db))

const reasons = async (db: Database, { id }: Someone) =>
  (await unseenNotifications(db, id, null)).map(({ reason }) => reason)

const passDay = (db: Database) => setRows(db, 'question_desk', {}, { told_due_on: sql`told_due_on - 1` })

async function aPromise(t: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  await setPromise(db, course.id, 24)
  const staff = [await aMember(db, course, 'instructor'), await aMember(db, course, 'assistant')] as const
  const aWaiting = async () => {
    const question = await aQuestion(db, { course, author: await aMember(db, course) })
    for (const person of staff) await within(db, markAllSeen, person.id)
    const old = sql<Date>`now() - interval '25 hours'`
    await setRows(db, 'questions', question.id, { written_at: old, active_at: old })
    return question
  }
  const taken = ({ id }: Someone, { id: assignee_id }: Someone) => {
    const assigned = { assignee_id, assigned_by: staff[0].id, assigned_at: new Date() }
    return setRows(db, 'question_desk', { question_id: id }, assigned)
  }
  return { db, course, staff, aWaiting, taken }
}

suite('what waits for longer than a course promises', () => {
  test('is told to one after the other of its staff, once for each turn', async (t) => {
    const { db, staff, aWaiting } = await aPromise(t)
    const [first, second] = staff
    await aWaiting()
    assert.equal(await tellOfPromises(db), 1)
    assert.equal(await tellOfPromises(db), 0)
    assert.deepEqual([await reasons(db, first), await reasons(db, second)], [['promise'], []])
    await aWaiting()
    await aWaiting()
    assert.equal(await tellOfPromises(db), 0, 'one a day')
    await passDay(db)
    assert.equal(await tellOfPromises(db), 1)
    assert.deepEqual(await reasons(db, second), ['promise'], 'the next one')
    await passDay(db)
    assert.equal(await tellOfPromises(db), 1)
    assert.equal(await tellOfPromises(db), 0)
  })

  test('is told to whoever has taken others, too, once a day', async (t) => {
    const { db, staff, aWaiting, taken } = await aPromise(t)
    const [_first, second] = staff
    await aWaiting()
    for (const question of [await aWaiting(), await aWaiting()]) await taken(question, second)
    await tellOfPromises(db)
    assert.equal((await unseenNotifications(db, second.id, null)).length, 1)
    assert.equal(await tellOfPromises(db), 0)
    const [told] = (await Promise.all(staff.map(({ id }) => unseenNotifications(db, id, null)))).flat()
    assert.equal(told?.waitingCount, 3, 'the entry counts all that wait too long')
  })

  test('is told to whoever has taken it, and to the next, who knows when the first does nothing', async (t) => {
    const { db, staff, aWaiting, taken } = await aPromise(t)
    const question = await aWaiting()
    const [first, second] = staff
    await taken(question, first)
    await tellOfPromises(db)
    assert.deepEqual([await reasons(db, first), await reasons(db, second)], [['promise'], ['promise']])
    await anAnswer(db, { question, author: first })
    assert.deepEqual(await reasons(db, second), [], 'it waits no more')
  })

  test('is not told where nothing is promised, nor before its time', async (t) => {
    const { db, course, aWaiting } = await aPromise(t)
    await aQuestion(db, { course, author: await aMember(db, course) })
    assert.equal(await tellOfPromises(db), 0)
    await aWaiting()
    await setPromise(db, course.id, null)
    assert.equal(await tellOfPromises(db), 0)
  })
})

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)

test('whoever asked is reminded once, three days after staff asked back, unless they answered', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const [staff, asker] = [await aMember(db, course, 'assistant'), await aMember(db, course)]
  const question = await aQuestion(db, { course, author: asker, writtenAt: daysAgo(9) })
  const reply = await aReply(db, { question, author: staff, body: 'Which version?', writtenAt: daysAgo(2.9) })
  await within(db, markAllSeen, asker.id)
  const remind = () => doJobs(db, clarificationKind(db))

  assert.equal(await remind(), 0, 'not before the third day')
  await setRows(db, 'replies', reply.id, { written_at: daysAgo(3.1) })
  assert.equal(await remind(), 1)
  assert.equal(await remind(), 0)
  assert.deepEqual(await reasons(db, asker), ['clarification'])
  await aReply(db, { question, author: asker, body: '24.1' })
  assert.deepEqual(await reasons(db, asker), [], 'it is the turn of staff again')
  assert.equal(await remind(), 0)
})

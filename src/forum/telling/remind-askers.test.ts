import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doJobs } from '../../jobs/do-jobs.ts'
import { aCourse, aMember, aQuestion, aReply } from '../../testing/builders.ts'
import { testDatabase } from '../../testing/database.ts'
import { setRows } from '../../testing/rows.ts'
import { within } from '../../testing/within.ts'
import { unseenNotifications } from '../notifications/queries.ts'
import { markAllSeen } from './read.ts'
import { clarificationKind } from './reminders.ts'

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)

test('whoever asked is reminded once, three days after staff asked back, unless they answered', async (t) => {
  const db = await testDatabase(t)
  const course = await aCourse(db)
  const [staff, asker] = [await aMember(db, course, 'assistant'), await aMember(db, course)]
  const question = await aQuestion(db, { course, author: asker, writtenAt: daysAgo(9) })
  const reply = await aReply(db, { question, author: staff, body: 'Which version?', writtenAt: daysAgo(2.9) })
  await within(db, markAllSeen, asker.id)
  const remind = () => doJobs(db, clarificationKind(db))
  const reasons = async () => (await unseenNotifications(db, asker.id, null)).map(({ reason }) => reason)

  assert.equal(await remind(), 0, 'not before the third day')
  await setRows(db, 'replies', reply.id, { written_at: daysAgo(3.1) })
  assert.equal(await remind(), 1)
  assert.equal(await remind(), 0)
  assert.deepEqual(await reasons(), ['clarification'])
  await aReply(db, { question, author: asker, body: '24.1' })
  assert.deepEqual(await reasons(), [], 'it is the turn of staff again')
  assert.equal(await remind(), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { aFolder } from '../../database/embedded/testing.ts'
import type { Database } from '../../database/schema.ts'
import { Lane } from '../../jobs/runner.ts'
import { FAST } from '../../jobs/testing.ts'
import { startInProcess } from '../../operating/start/testing.ts'
import { SECRET, silentLog } from '../../testing/app.ts'
import { atEnd, type Ending } from '../../testing/at-end.ts'
import { aCourse, aMember } from '../../testing/builders.ts'
import { testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { until } from '../../testing/waiting.ts'
import { webhookKind } from './sending.ts'
import { aReceiver, aWebhook, happen, passWebhookTime, SENDING } from './testing.ts'

type Receiver = Awaited<ReturnType<typeof aReceiver>>

/** A course whose imports are told to receivers. */
async function aToldCourse(t: Ending, db: Database, receivers: readonly Receiver['answer'][]) {
  const course = await aCourse(db)
  const owner = await aMember(db, course, 'instructor')
  const told = []
  for (const answer of receivers) {
    const receiver = await aReceiver(t)
    receiver.answer = answer
    const types = ['course.imported']
    const id = await aWebhook(db, { url: receiver.url, owner, course_id: course.id, types })
    told.push({ receiver, id })
  }
  return { told, importOnce: () => happen(db, [{ type: 'course.imported', course_id: course.id }]) }
}

const takes: Receiver['answer'] = (reply) => reply.writeHead(204).end()
const never: Receiver['answer'] = () => undefined
/** Says yes at once, and is never done with saying so. */
const byDrops: Receiver['answer'] = (reply) => {
  reply.writeHead(200)
  const timer = setInterval(() => reply.write('x'), 100)
  reply.on('close', () => clearInterval(timer))
}

test('receivers that never answer, or by drops, are given up after a while and delay nobody else', async (t) => {
  const db = await testDatabase(t)
  const slow = [never, byDrops, never, byDrops, never, byDrops, never, byDrops, never, byDrops]
  const { told, importOnce } = await aToldCourse(t, db, [...slow, ...Array<typeof takes>(10).fill(takes)])
  for (let imports = 0; imports < 5; imports += 1) await importOnce()
  const lane = new Lane(db, silentLog(), webhookKind(db, SENDING), { ...FAST, stopTimeout: 20_000 })
  atEnd(t, () => lane.stop())
  const others = told.slice(slow.length)
  await until('the others have all of it', () =>
    others.every(({ receiver }) => receiver.received.length === 5),
  )
  const failed = async () => {
    const { rows } = await sql<{ id: number }>`
      select distinct webhook_id as id from webhook_deliveries where outcome = 'unreachable'`.execute(db)
    return rows.length
  }
  assert.equal(await failed(), 0, 'while the first answers are waited for')
  await until('they are given up', async () => (await failed()) === slow.length)
})

test('a forum that is killed loses nothing: what it was sending comes again with the same id', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const { told, importOnce } = await aToldCourse(t, db, [never, takes])
  const [held = assert.fail(), other = assert.fail()] = told
  for (let imports = 0; imports < 3; imports += 1) await importOnce()
  const variables = {
    ...{ DATABASE_URL: url, DATA_DIR: await aFolder(t), SECRET, LOG_LEVEL: 'info', MAIL_SOON_SECONDS: '0' },
    WEBHOOK_HOSTS: told.map(({ receiver }) => new URL(receiver.url).host).join(),
  }
  const killed = await startInProcess(t, variables)
  await until('one is being sent', () => held.receiver.received.length === 1)
  await until('the other receiver has all', () => other.receiver.received.length === 3)
  killed.kill('SIGKILL')
  await killed.ended

  held.receiver.answer = takes
  await importOnce()
  // As if leases were over.
  await passWebhookTime(db, '1 minute')
  await sql`update jobs set due_at = now()`.execute(db)
  const next = await startInProcess(t, variables)
  await until('all is told', async () => {
    const { rows } = await sql`select from webhook_deliveries where done_at is null`.execute(db)
    return rows.length === 0
  })
  next.kill('SIGTERM')
  assert.deepEqual(await next.ended, { code: 0, signal: null })
  for (const { receiver, id } of told) {
    const { rows } = await sql<{ id: string }>`
      select message_id as id from webhook_deliveries where webhook_id = ${id}`.execute(db)
    const ids = receiver.received.map(({ headers }) => String(headers['webhook-id']))
    assert.deepEqual([...new Set(ids)].sort(), rows.map((row) => row.id).sort())
  }
  const again = held.receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(again.filter((id) => id === again[0]).length, 2)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { testDatabase } from '../testing/database.ts'
import { claimJobs, enqueue, type Priority } from './table.ts'

/** The priorities of the next jobs. */
async function next(db: Database, limit: number, given: { bulkLimit?: number; bulkClaimed?: number } = {}) {
  const { bulkLimit = limit, bulkClaimed = 0 } = given
  const jobs = await claimJobs(db, {
    ...{ kind: 'test', limit, bulkLimit, bulkClaimed, lease: 60, takesOver: false },
  })
  return jobs.map(({ priority }) => priority).sort()
}

async function add(db: Database, priority: Priority, count: number): Promise<void> {
  for (let added = 0; added < count; added += 1) await enqueue(db, 'test', `${priority}-${added}`, priority)
}

test('what somebody waits for is done before 10,000 others, which get a fifth', async (t) => {
  const db = await testDatabase(t)
  await sql`insert into jobs (kind, key, priority, queued_at, due_at)
    select 'test', number::text, 2, now() - interval '1 hour', now() - interval '1 hour'
    from generate_series(1, 10000) as number`.execute(db)
  await add(db, 1, 20)
  await add(db, 0, 2)
  assert.deepEqual(await next(db, 10), [0, 0, 1, 1, 1, 1, 1, 1, 1, 2])
  assert.deepEqual(await next(db, 5), [1, 1, 1, 1, 2])
  assert.deepEqual(await next(db, 3, { bulkLimit: 0 }), [])
  await add(db, 0, 1)
  assert.deepEqual(await next(db, 3, { bulkLimit: 1 }), [0, 1, 1].slice(0, 2))
  assert.deepEqual(await next(db, 10), [1, 1, 1, 1, 1, 1, 1, 1, 2, 2])
  assert.deepEqual(await next(db, 3), [2, 2, 2], 'who has none leaves its places to the others')
})

test('one at a time, each fifth is of those that come last', async (t) => {
  const db = await testDatabase(t)
  await add(db, 2, 10)
  await add(db, 1, 20)
  const taken = []
  for (let bulkClaimed = 0; bulkClaimed < 10; bulkClaimed += 1)
    taken.push(...(await next(db, 1, { bulkClaimed })))
  assert.deepEqual(taken, [1, 1, 1, 1, 2, 1, 1, 1, 1, 2])
})

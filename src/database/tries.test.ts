import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { countTry } from './tries.ts'

const MINUTE = 60_000

suite('counting tries', () => {
  test('tries at once are all counted, and the count restarts when its time is over', async (t) => {
    const db = await testDatabase(t)
    const tries = await Promise.all(Array.from({ length: 20 }, () => countTry(db, 'one', MINUTE)))
    const counts = tries.map(({ count }) => count).sort((one, other) => one - other)
    assert.deepEqual(
      counts,
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
    await sql`update tries set ends_at = now()`.execute(db)
    assert.equal((await countTry(db, 'one', MINUTE)).count, 1)
  })

  test('a clock that is put back an hour makes nobody wait an hour longer', async (t) => {
    const db = await testDatabase(t)
    for (const _try of [1, 2, 3]) await countTry(db, 'one', MINUTE)
    await sql`update tries set ends_at = ends_at + interval '1 hour'`.execute(db)
    const { count, ttl } = await countTry(db, 'one', MINUTE)
    assert.equal(count, 1)
    assert.ok(ttl <= MINUTE, `${ttl} ms`)
  })
})

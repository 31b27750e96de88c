import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { recordStatements } from '../testing/statements.ts'
import { MAX_SWEPT_ROWS, sweep, sweepAll } from './terms.ts'
import { sweepTries } from './tries.ts'

const EXPIRED = 2 * MAX_SWEPT_ROWS + 1

async function someTries(test: Parameters<typeof testDatabase>[0]) {
  const db = await testDatabase(test)
  await sql`insert into tries (key, count, ends_at)
    select sha256(number::text::bytea), 1, now() + case when number <= ${EXPIRED} then -1 else 1 end * interval '1 hour'
    from generate_series(1, ${EXPIRED + 5}::int) as number`.execute(db)
  const countLeft = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) from tries`.execute(db)
    return rows[0]?.count
  }
  return { db, countLeft }
}

test('what has expired goes in steps that each are small, and all of it', async (t) => {
  const { db, countLeft } = await someTries(t)
  assert.equal(await sweepTries(db), MAX_SWEPT_ROWS)
  const statements = recordStatements(t)
  assert.equal(await sweepAll(db, sweepTries), EXPIRED - MAX_SWEPT_ROWS)
  assert.equal(statements.length, 2)
  assert.equal(await countLeft(), 5)
})

test('a stop ends it after one step', async (t) => {
  const { db, countLeft } = await someTries(t)
  await sweepAll(db, sweepTries, () => true)
  assert.equal(await countLeft(), EXPIRED + 5 - MAX_SWEPT_ROWS)
})

test('it waits for nobody: rows that somebody holds stay', async (t) => {
  const { db, countLeft } = await someTries(t)
  await db.transaction().execute(async (write) => {
    await sql`select key from tries where ends_at < now() limit 3 for update`.execute(write)
    assert.equal(await sweepAll(db, (base) => sweep(base, 'tries', sql`ends_at <= now()`)), EXPIRED - 3)
  })
  assert.equal(await countLeft(), 8)
})

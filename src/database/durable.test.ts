import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { postAnswer } from '../answers/post-answer.ts'
import { aPerson, aQuestion } from '../testing/builders.ts'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { recordStatements } from '../testing/statements.ts'
import { connect } from './connection.ts'
import { durable } from './durable.ts'
import type { Database } from './schema.ts'

/** Longer than what the server writes to disk by itself now and then could be told from. */
const LONG = randomBytes(12_000).toString('hex')

test('an answer is on disk before it is acknowledged', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  // Tests are run on servers that wait for no disk.
  await sql`do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$`.execute(
    db,
  )
  const usual = connect(url)
  t.after(() => usual.destroy())
  const [question, author] = [await aQuestion(db), await aPerson(db)]
  for (let number = 0; number < 5; number += 1) {
    const before = await inserted(usual)
    await postAnswer(usual, { key: randomBytes(32), personId: author.id }, question, LONG)
    assert.ok((await flushed(usual)) - before > LONG.length / 2)
  }
})

test('who waits at the same time waits for one flush, and a failed one is tried again by the next', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  await durable(db)
  const statements = recordStatements(t)
  await Promise.all(Array.from({ length: 50 }, () => durable(db)))
  assert.equal(statements.length, 1)
  const broken = connect('postgres://nobody@127.0.0.1:1/none')
  t.after(() => broken.destroy())
  await assert.rejects(durable(broken))
  await assert.rejects(durable(broken))
})

const inserted = (db: Database) => position(db, 'pg_current_wal_insert_lsn')
const flushed = (db: Database) => position(db, 'pg_current_wal_flush_lsn')

/** Bytes of the log. */
async function position(db: Database, of: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (${sql.raw(of)}() - '0/0'::pg_lsn)::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? 0
}

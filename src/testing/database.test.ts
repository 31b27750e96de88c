import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import { atEnd, type Ending } from './at-end.ts'
import { aQuestion } from './builders.ts'
import { addressOf, testDatabase } from './database.ts'

test('a test has a database of its own, migrated and empty', async (t) => {
  const [one, other] = await Promise.all([testDatabase(t), testDatabase(t)])
  await one.insertInto('people').values({ display_name: 'Mina' }).execute()

  assert.deepEqual(await one.selectFrom('people').select('display_name').execute(), [
    { display_name: 'Mina' },
  ])
  assert.deepEqual(await other.selectFrom('people').select('display_name').execute(), [])
})

test('the next test has the database of the last one, as empty as a new one and with ids from 1', async () => {
  const [first, second] = [await during((db) => aQuestion(db)), await during((db) => aQuestion(db))]
  assert.equal(second.address, first.address)
  assert.notEqual(second.db, first.db, 'what is remembered of a database goes by its object')
  assert.equal(second.made.id, first.made.id)
  const { made: rows } = await during(async (db) => ({
    questions: await db.selectFrom('questions').select('id').execute(),
    jobs: await db.selectFrom('jobs').select('kind').execute(),
    people: await db.selectFrom('people').select('id').execute(),
  }))
  assert.deepEqual(rows, { questions: [], jobs: [], people: [] })
})

for (const [name, change] of Object.entries({
  'a column': sql`alter table people add column is_new boolean`,
  'a trigger that is off': sql`alter table replies disable trigger user`,
  'a trigger less': sql`drop trigger people_invalidate on people`,
  'a function': sql`create function answer() returns integer language sql return 42`,
  'what the planner knows': sql`insert into tags (name) values ('x'); analyze tags`,
  'a setting': sql`do $$ begin
    execute format('alter database %I set default_transaction_read_only = off', current_database()); end $$`,
  'an unknown migration': sql`insert into kysely_migration (name, timestamp) values ('999_x', '')`,
  'many rows': sql`insert into tags (name) select 'tag-' || n from generate_series(1, 4000) n`,
})) {
  test(`a database that a test changed for good is not used again: ${name}`, async () => {
    const changed = await during((db) => change.execute(db))
    const next = await during((db) => db.selectFrom('tags').select('id').execute())
    assert.notEqual(next.address, changed.address)
    assert.deepEqual(next.made, [])
  })
}

test('nor is one that something is still connected to', async (t) => {
  const left = await during(async (db) => {
    const other = connect(addressOf(db))
    atEnd(t, () => other.destroy())
    await sql`select 1`.execute(other)
  })
  assert.notEqual((await during(async () => {})).address, left.address)
})

/** What a test of its own would do with a database, which it has given back afterwards. */
async function during<Made>(work: (db: Database) => Promise<Made>) {
  const ends: (() => Promise<void>)[] = []
  const test: Ending = { after: (end) => void ends.push(end) }
  const db = await testDatabase(test)
  const address = addressOf(db)
  try {
    return { db, address, made: await work(db) }
  } finally {
    for (const end of ends) await end()
  }
}

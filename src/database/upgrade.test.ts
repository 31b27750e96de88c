import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { schemaOf } from '../operating/backup/testing.ts'
import { newDatabase, testDatabase } from '../testing/database.ts'
import { anEarlierTalk, becomeEarlier } from '../testing/earlier-release.ts'
import { connect } from './connection.ts'
import { migrate } from './migrate.ts'
import { appliedMigrations } from './migrations/applied.ts'
import { knownMigrations } from './migrations/files.ts'
import { recount } from './recount.ts'
import type { Database } from './schema.ts'

/** Functions and triggers as an earlier version had them. */
const EARLIER = `
  create or replace function note_reply_activity() returns trigger language plpgsql as $$ begin return null; end $$;
  create or replace function hand_over_question() returns trigger language plpgsql as $$ begin return null; end $$;
  drop trigger questions_hand_over on questions;
  create trigger questions_hand_over after update on questions for each row execute function hand_over_question();
  create function count_new_answer() returns trigger language plpgsql as $$ begin return null; end $$;
  drop trigger answers_count on answers;
  create trigger answers_count after insert on answers for each row execute function count_new_answer();
  create trigger answers_count_removed after delete on answers for each row execute function count_new_answer();
`

test('a database of 0.3.0 becomes what a new one is, after two upgrades that were killed', async (t) => {
  const { db, url } = await newDatabase(t)
  await becomeEarlier(db)
  await anEarlierTalk(db)
  await sql.raw(EARLIER).execute(db)

  // In the middle of the steps of a migration, and of the functions and triggers that are replaced at once.
  for (const table of ['question_tags', 'replies']) await killUpgrade(db, url, table)
  await migrate(db)

  assert.deepEqual(await appliedMigrations(db), await knownMigrations())
  assert.deepEqual(await schemaOf(db), await schemaOf(await testDatabase(t)))
  assert.deepEqual(await recount(db), [])
  assert.deepEqual(await migrate(db), [])
})

test('functions of a file that changed are replaced, and what an operator added stays', async (t) => {
  const db = await testDatabase(t)
  await sql.raw(EARLIER).execute(db)
  await sql`create function of_the_operator() returns integer language sql as 'select 1'`.execute(db)
  await sql`update schema_files set hash = 'another' where name = 'posts'`.execute(db)
  assert.deepEqual(await migrate(db), ['posts'])
  const { rows } = await sql<{ body: string }>`
    select prosrc as body from pg_proc where proname in ('note_reply_activity', 'of_the_operator') order by proname`.execute(
    db,
  )
  assert.match(rows[0]?.body ?? '', /greatest\(active_at, new\.written_at\)/)
  assert.equal(rows.length, 2)
})

test('a trigger that a file has and a database lacks is created, and one that is there stays', async (t) => {
  const db = await testDatabase(t)
  await sql`drop trigger answers_count on answers`.execute(db)
  await sql`comment on trigger answers_invalidate on answers is 'still the same'`.execute(db)
  await sql`update schema_files set hash = 'another' where name in ('counters', 'changes')`.execute(db)
  await migrate(db)
  assert.deepEqual(await schemaOf(db), await schemaOf(await testDatabase(t)))
  const { rows } = await sql<{ comment: string }>`
    select obj_description(oid, 'pg_trigger') as comment from pg_trigger where tgname = 'answers_invalidate'`.execute(
    db,
  )
  assert.deepEqual(rows, [{ comment: 'still the same' }])
})

test('a database of a version before 0.3.0 is told the way, and stays as it is', async (t) => {
  const { db } = await newDatabase(t)
  await becomeEarlier(db)
  await sql`delete from kysely_migration where name > '368'`.execute(db)
  await assert.rejects(migrate(db), {
    name: 'Error',
    message:
      'This database is of a Handup before 0.3.0 (its newest migration is 367_lists_told): start Handup 0.3.0 on it once, then this version',
  })
})

/** Ends an upgrade while it waits for a table. */
async function killUpgrade(db: Database, url: string, table: string): Promise<void> {
  const other = connect(url, { statementTimeout: 0 })
  await db.transaction().execute(async (write) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(write)
    const upgrade = assert.rejects(migrate(other), /terminating connection|Connection terminated/)
    const waiting = () =>
      sql<{ pid: number }>`
      select pid from pg_locks where relation = ${table}::regclass and not granted`.execute(db)
    let [found] = (await waiting()).rows
    while (found === undefined) [found] = (await waiting()).rows
    await sql`select pg_terminate_backend(${found.pid})`.execute(db)
    await upgrade
  })
  await other.destroy()
}

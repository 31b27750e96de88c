import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { schemaOf } from '../backup/testing.ts'
import { checkSchema } from './contents.ts'
import {
  checkMigrations,
  checkReplication,
  checkTuning,
  type Replication,
  replicationFindings,
  type Tuning,
  tuningFindings,
} from './server.ts'

/** What a database lacks whose migrations were others, and one leftover of theirs. */
const DAMAGE = [
  sql`create or replace function note_reply_activity() returns trigger language plpgsql as $$ begin return null; end $$`,
  sql`drop trigger replies_note_activity on replies`,
  sql`alter table answers disable trigger answers_count`,
  sql`drop index answers_of_author`,
  sql`alter table replies drop constraint replies_question_fkey`,
  sql`create function left_over() returns trigger language plpgsql as $$ begin return null; end $$`,
  sql`create trigger left_over after insert on replies for each row execute function left_over()`,
]

test('what differs is named by doctor, with the statements that make it good', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  await aQuestion(db, { answers: 1 })
  const whole = await schemaOf(db)
  assert.deepEqual(await checkSchema(db), {
    check: 'schema',
    state: 'ok',
    says: 'as db/schema and its migrations create it',
    advice: null,
  })
  for (const damage of DAMAGE) await damage.execute(db)

  const { state, says, advice } = await checkSchema(db)
  assert.equal(state, 'problem')
  assert.match(says, /function note_reply_activity\(\) differs.*index answers_of_author is missing/)
  assert.match(says, /trigger answers\.answers_count is not in force/)
  await runAdvice(db, advice)
  const left = await checkSchema(db)
  assert.equal(left.state, 'warning')
  assert.match(
    left.says,
    /^function left_over\(\) is not Handup's, trigger replies\.left_over is not Handup's$/,
  )
  await runAdvice(db, left.advice)
  assert.equal((await checkSchema(db)).state, 'ok')
  assert.deepEqual(await schemaOf(db), whole)
})

test('a column that differs is not repaired, as its data would be', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  await sql`alter table people alter column display_name drop not null`.execute(db)
  const { says, advice } = await checkSchema(db)
  assert.match(says, /column people\.display_name differs/)
  assert.match(advice ?? '', /^take a backup, and restore it into an empty database/)
})

test('another text of a migration, and functions that were not replaced yet, are told', async (t) => {
  const { db } = await testDatabaseWithUrl(t)
  await sql`update schema_files set hash = 'another' where name = 'desk'`.execute(db)
  assert.match((await checkMigrations(db)).says, /^not applied: desk$/)
  await sql`update kysely_migration set hash = 'another' where name = '200_posting'`.execute(db)
  assert.match(
    (await checkMigrations(db)).says,
    /^an unreleased Handup applied another version of 200_posting/,
  )
})

async function runAdvice(db: Database, advice: string | null): Promise<void> {
  const [first, ...statements] = (advice ?? '').split('\n')
  assert.match(first ?? '', /run as the owner of the database:$/)
  await sql.raw(statements.join('\n')).execute(db)
}

const TUNED: Tuning = {
  ...{ fsync: true, fullPageWrites: true, autovacuum: true, maxConnections: 100, jit: false },
  ...{ sharedBuffers: 2 ** 30, randomPageCost: 1.1, size: 2 ** 31 },
}

test('doctor names settings of an external PostgreSQL that lose data or make pages slow', async (t) => {
  const states = (change: Partial<Tuning>, workers = 2) =>
    tuningFindings({ ...TUNED, ...change }, workers).map(({ state, says }) => `${state}: ${says}`)
  assert.deepEqual(states({}), ['ok: shared_buffers 1024 MB, max_connections 100'])
  assert.match(states({ fsync: false })[0] ?? '', /^problem: fsync is off/)
  assert.match(states({ fullPageWrites: false })[0] ?? '', /^problem: full_page_writes is off/)
  assert.match(states({ autovacuum: false })[0] ?? '', /^problem: autovacuum is off/)
  assert.match(states({}, 20)[0] ?? '', /^warning: max_connections is 100; 20 processes, .* need up to 130/)
  assert.match(
    states({ size: 2 ** 34 })[0] ?? '',
    /^warning: shared_buffers 1024 MB for a database of 16384 MB/,
  )
  assert.match(states({ randomPageCost: 4, jit: true })[0] ?? '', /^warning: random_page_cost 4, jit on/)
  const db = await testDatabase(t)
  const [real] = await checkTuning(db, 1)
  assert.ok(real !== undefined && /fsync|shared_buffers/.test(real.says), real?.says)
})

test('doctor says whether what is written reaches another machine', async (t) => {
  const none: Replication = {
    ...{
      isArchiving: false,
      isArchivingBroken: false,
      standbys: 0,
      lag: null,
      idleSlots: [],
      keptForSlots: 0,
    },
  }
  const says = (change: Partial<Replication>) =>
    replicationFindings({ ...none, ...change }).map((found) => `${found.state}: ${found.says}`)
  assert.deepEqual(says({ isArchiving: true, standbys: 2, lag: 3.2 }), [
    'ok: 2 standbys, 3 s behind, continuous archiving',
  ])
  assert.match(
    says({ isArchiving: true, isArchivingBroken: true })[0] ?? '',
    /^problem: archive_command fails/,
  )
  assert.match(says({ standbys: 1, lag: 1200 })[0] ?? '', /^warning: a standby is 20 min behind/)
  assert.match(
    says({ idleSlots: ['old'], keptForSlots: 2 ** 30 })[0] ?? '',
    /^warning: .* old: .* 1024 MB of log/,
  )
  const [real] = await checkReplication(await testDatabase(t))
  assert.match(real?.says ?? '', /^none that PostgreSQL knows of/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { schemaOf } from '../backup/testing.ts'
import { checkSchema } from './contents.ts'
import { checkMigrations } from './server.ts'

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { handupHere } from '../../tools/cli/testing.ts'
import { schemaOf } from '../backup/testing.ts'
import { checkSchema } from './schema.ts'
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
  sql`update kysely_migration set hash = 'another' where name = '200_posting'`,
]

test('what differs from the migrations is named by doctor and replaced by repair schema', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await aQuestion(db, { answers: 1 })
  const whole = await schemaOf(db)
  assert.deepEqual(await checkSchema(db), {
    check: 'schema',
    state: 'ok',
    says: 'as its migrations create it',
    advice: null,
  })
  for (const damage of DAMAGE) await damage.execute(db)

  assert.match(
    (await checkMigrations(db)).says,
    /^an unreleased Handup applied another version of 200_posting/,
  )
  const { state, says, advice } = await checkSchema(db)
  assert.deepEqual([state, advice], ['problem', 'npm run handup -- repair schema'])
  assert.match(says, /function note_reply_activity\(\) differs.*index answers_of_author is missing/)
  assert.match(says, /trigger answers\.answers_count is not in force/)

  const { code, output } = await handupHere({ DATABASE_URL: url }, 'repair', 'schema')
  assert.equal(code, 0, output)
  assert.match(output, /^repaired: constraint replies\.replies_question_fkey is missing$/m)
  assert.match(output, /^left: trigger replies\.left_over is not Handup's$/m)
  assert.equal((await checkMigrations(db)).state, 'ok')
  assert.equal((await checkSchema(db)).state, 'warning')

  const dropped = await handupHere({ DATABASE_URL: url }, 'repair', 'schema', '--drop')
  assert.equal(dropped.code, 0, dropped.output)
  assert.equal((await checkSchema(db)).says, 'as its migrations create it')
  assert.deepEqual(await schemaOf(db), whole)
})

test('a column that differs is not repaired, as its data would be', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await sql`alter table people alter column display_name drop not null`.execute(db)
  await assertLeft(db, url, /column people\.display_name differs/)
})

test('rows that break a constraint are told, and the others are repaired', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  const question = await aQuestion(db)
  await sql`alter table questions drop constraint questions_title_length`.execute(db)
  await sql`drop index answers_of_author`.execute(db)
  await sql`update questions set title = '' where id = ${question.id}`.execute(db)
  await assertLeft(db, url, /questions_title_length/)
  assert.match((await checkSchema(db)).says, /^constraint questions\.questions_title_length differs$/)
})

test('a database of another version is not repaired', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await sql`insert into kysely_migration (name, timestamp) values ('999_future', '')`.execute(db)
  const { code, output } = await handupHere({ DATABASE_URL: url }, 'repair', 'schema')
  assert.equal(code, 1)
  assert.match(
    output,
    /^handup: A newer or unreleased Handup was started on this database \(its newest migration is 999_future,/,
  )
})

async function assertLeft(db: Database, url: string, line: RegExp): Promise<void> {
  assert.match((await checkSchema(db)).says, line)
  const { code, output } = await handupHere({ DATABASE_URL: url }, 'repair', 'schema')
  assert.equal(code, 1)
  assert.match(output, line)
  assert.match(output, /take a backup and restore it into an empty database/)
}

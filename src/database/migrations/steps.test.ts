import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newDatabase } from '../../testing/database.ts'
import { migrate } from '../migrate.ts'
import type { Database, Write } from '../schema.ts'
import { stepsOf } from './apply.ts'
import { migrationsOf, writeMigrations } from './testing.ts'

const TABLE = `
  create table posts (id bigint generated always as identity primary key, title text not null, letters integer);
  insert into posts (title) select 'post ' || n from generate_series(1, 2500) n;`

const STEPS = `-- In steps: the table is large.

-- over posts
update posts set letters = length(title)
where id > $1 and id <= $2 and letters is null;

create unique index concurrently if not exists posts_title on posts (title);
`

test('a table is filled in ranges of ids, and an index built concurrently', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_posts': TABLE, '302_letters': STEPS })
  assert.deepEqual(await migrate(db, { folder }), ['301_posts', '302_letters'])
  assert.deepEqual(await stateOf(db), { filled: 2500, transactions: 3, isValid: true })
})

test('what broke off is repeated, and an index that is not valid built again', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, {
    '301_posts': `${TABLE} update posts set title = 'post 1' where id = 2`,
  })
  await migrate(db, { folder })
  await writeMigrations(folder, { '302_letters': STEPS })
  await assert.rejects(
    migrate(db, { folder }),
    /^Error: Migration 302_letters failed: could not create unique index/,
  )
  assert.deepEqual(await stateOf(db), { filled: 2500, transactions: 3, isValid: false })
  await sql`update posts set title = 'post 2', letters = null where id = 2`.execute(db)
  assert.deepEqual(await migrate(db, { folder }), ['302_letters'])
  assert.deepEqual(await stateOf(db), { filled: 2500, transactions: 4, isValid: true })
})

test('in the transaction of a restore, steps are part of it', async (t) => {
  const { db } = await newDatabase(t)
  const folder = await migrationsOf(t, { '301_posts': TABLE, '302_letters': STEPS })
  await db.transaction().execute(async (write) => {
    await migrate(write, { folder })
    assert.deepEqual(await stateOf(write), { filled: 2500, transactions: 1, isValid: true })
  })
})

test('the body of a function is part of its statement, comments included', () => {
  const statement = `create or replace function one() returns void language plpgsql as $$
begin
  -- Nothing;
  perform 1;
end $$`
  const steps = stepsOf(`-- In steps.\n-- Why.\n${statement};\nselect 1; select 2;\n`)
  assert.deepEqual(
    steps.map((step) => step.statement),
    [statement, 'select 1; select 2'],
  )
})

test('a statement that could not be repeated is refused', () => {
  for (const statement of [
    'create index concurrently posts_title on posts (title)',
    'update posts set letters = 1 where id > $1 and id <= $2',
    '-- over posts\nupdate posts set letters = 1',
  ])
    assert.throws(
      () => stepsOf(`-- In steps.\n${statement};\n`),
      /^Error: (write "create|a statement with \$1)/,
    )
})

async function stateOf(db: Database | Write) {
  const { rows } = await sql<{ filled: number; transactions: number; isValid: boolean }>`
    select count(letters) as filled, count(distinct xmin::text) as transactions,
      (select indisvalid from pg_index where indexrelid = to_regclass('posts_title')) as "isValid" from posts`.execute(
    db,
  )
  return rows[0]
}

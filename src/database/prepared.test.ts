import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabaseWithUrl } from '../testing/database.ts'
import { connect } from './connection.ts'

test('a statement that recurs is prepared, also one in brackets, but none that has to be planned for its words, nor several at once', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const db = connect(url, { connections: 1 })
  t.after(() => db.destroy())
  for (let times = 0; times < 4; times += 1) {
    await sql`select ${times}::integer as plain`.execute(db)
    await sql`(select ${times}::integer as bracketed) union all (select 1)`.execute(db)
    await sql`select ${'a'}::text like ${'b'} as searched`.execute(db)
    await sql`select ${'a'}::text ilike ${'b'} as "found in any case"`.execute(db)
    await sql`select ${'a'}::text like '%' || ${'b'} as "found at the end"`.execute(db)
    await sql`select ${'a'}::text like '%b' as "ends so"`.execute(db)
    await sql`select 1 as first; select 2 as second`.execute(db)
  }
  const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(db)
  const named = (word: string) => rows.some(({ statement }) => statement.includes(word))
  const names = [
    'plain',
    'bracketed',
    'searched',
    'found in any case',
    'found at the end',
    'ends so',
    'second',
  ]
  assert.deepEqual(names.filter(named), ['plain', 'bracketed', 'ends so'])
})

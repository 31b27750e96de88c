import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { everyTable, personColumns } from './database/table.ts'
import { BESIDE_FACTS } from './tables.ts'
import { testDatabase } from './testing/database.ts'

test('each foreign key to a person has a fact, and each fact has a column', async (t) => {
  const db = await testDatabase(t)
  const { rows } = await sql<{ place: string }>`
    select conrelid::regclass::text || '.' || attname as place
    from pg_constraint join pg_attribute on attrelid = conrelid and attnum = any(conkey)
    where contype = 'f' and confrelid = 'people'::regclass order by 1`.execute(db)
  assert.ok(rows.length > 60)
  // These two refer to a table that refers to the person.
  const others = ['asked_instead.person_id', 'passkeys.person_id']
  const facts = personColumns().map(({ table, column }) => `${table}.${column}`)
  assert.deepEqual(facts.toSorted(), [...rows.map(({ place }) => place), ...others].toSorted())
})

test('each column that may hold a person, an address or JSON is a fact, or is known not to be', async (t) => {
  const db = await testDatabase(t)
  const { rows } = await sql<{ place: string }>`
    select table_name || '.' || column_name as place from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = current_schema() and table_type = 'BASE TABLE' and (data_type in ('json', 'jsonb')
      or column_name like any(array['%person%', '%author%', '%\\_by', '%email%', '%recipient%', 'actor\\_%']))`.execute(
    db,
  )
  const facts = personColumns().map(({ table, column }) => `${table}.${column}`)
  const unknown = rows.map(({ place }) => place).filter((place) => !facts.includes(place))
  assert.deepEqual(unknown.toSorted(), Object.keys(BESIDE_FACTS).toSorted())
})

test('each table is declared once', () => {
  const names = everyTable().map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
})

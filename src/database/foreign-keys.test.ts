import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'

test('every foreign key has an index, along which deleting finds the rows that refer to it', async (t) => {
  const db = await testDatabase(t)
  assert.deepEqual(await foreignKeysWithoutIndex(db), [])
  await sql`drop index search_documents_course`.execute(db)
  assert.deepEqual(await foreignKeysWithoutIndex(db), ['search_documents_course_fkey'])
})

/**
 * An index serves when it begins with one of the key's columns, and holds all rows, or all in which that column or another
 * of the key is not null.
 */
async function foreignKeysWithoutIndex(db: Awaited<ReturnType<typeof testDatabase>>): Promise<string[]> {
  const { rows } = await sql<{ conname: string }>`
    select conname from pg_constraint as key
    where contype = 'f' and connamespace = current_schema()::regnamespace and not exists (
      select from pg_index where indrelid = key.conrelid and indisvalid and indkey[0] = any(key.conkey)
        and (indpred is null or pg_get_expr(indpred, indrelid) in (
          select format('(%I IS NOT NULL)', attname) from pg_attribute
          where attrelid = key.conrelid and attnum = any(key.conkey))))
    order by conname`.execute(db)
  return rows.map(({ conname }) => conname)
}

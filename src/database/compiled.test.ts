import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { CompiledStatements } from './compiled.ts'

const BLANK = -1

test('a statement is built once for each key, and filled in for each call', async (t) => {
  const db = await testDatabase(t)
  const statements = new CompiledStatements<{ value: number; kept: number }>()
  const built: number[] = []
  const rows = (kept: number, value: number) => {
    const build = () => {
      built.push(kept)
      return db.selectNoFrom([
        sql<number>`${BLANK}::integer`.as('value'),
        sql<number>`${kept}::integer`.as('kept'),
      ])
    }
    return statements.rows(db, String(kept), build, new Map([[BLANK, value]]))
  }
  assert.deepEqual(await rows(5, 1), [{ value: 1, kept: 5 }])
  assert.deepEqual(await rows(5, 2), [{ value: 2, kept: 5 }])
  assert.deepEqual(await rows(6, 5), [{ value: 5, kept: 6 }])
  assert.deepEqual(built, [5, 6])
})

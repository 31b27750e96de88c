import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { tableTypes } from './types.ts'

test('src/database/tables.ts is what `npm run table-types` writes', async (t) => {
  const written = await readFile(join(import.meta.dirname, '../../database/tables.ts'), 'utf8')
  assert.equal(written, await tableTypes(await testDatabase(t)))
})

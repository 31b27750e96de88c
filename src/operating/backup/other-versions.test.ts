import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { aBackup, aTemporaryFolder, restoreInto } from './testing.ts'

const OTHERS = [
  ['a newer Handup', '999_future', /migration 999_future, which this version lacks: update it first/],
  ['Handup 0.1', '005_votes', /migration 005_votes, which this version lacks: no version from 0\.2 on can/],
] as const

for (const [name, migration, reason] of OTHERS) {
  test(`a backup of ${name} is refused`, async (t) => {
    const source = await testDatabaseWithUrl(t)
    await sql`insert into kysely_migration (name, timestamp) values (${migration}, '')`.execute(source.db)
    const dataDir = await aTemporaryFolder(t)
    const path = await aBackup({ ...source, dataDir }, join(dataDir, 'other.backup'))
    const target = await newDatabase(t)
    await assert.rejects(restoreInto({ url: target.url, dataDir }, path), reason)
  })
}

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { writeBackup } from './make-backup.ts'
import { withSnapshot } from './snapshot.ts'
import { aBackup, aTemporaryFolder, restoreInto, SILENT } from './testing.ts'

const OTHERS = [
  {
    name: 'a newer Handup',
    migration: '999_future',
    restoring: /migration 999_future, which this version lacks: update it first/,
    backingUp: /lacks \(the newest is 999_future\), .*: back it up with the version that applied them$/,
  },
  {
    name: 'Handup 0.1',
    migration: '005_votes',
    restoring: /migration 005_votes, which this version lacks: no version from 0\.2 on can/,
    backingUp: /lacks \(the newest is 005_votes\), .*: back it up with Handup 0\.1, which created it$/,
  },
] as const

for (const { name, migration, restoring, backingUp } of OTHERS) {
  test(`a backup of ${name} is refused`, async (t) => {
    const dataDir = await aTemporaryFolder(t)
    const path = join(dataDir, 'other.backup')
    await backUpAs(t, migration, path)
    const target = await newDatabase(t)
    await assert.rejects(restoreInto({ url: target.url, dataDir }, path), restoring)
  })

  test(`a database of ${name} is not backed up, as nothing could restore it`, async (t) => {
    const source = await testDatabaseWithUrl(t)
    await sql`insert into kysely_migration (name, timestamp) values (${migration}, '')`.execute(source.db)
    const dataDir = await aTemporaryFolder(t)
    await assert.rejects(aBackup({ ...source, dataDir }, join(dataDir, 'other.backup')), backingUp)
    assert.deepEqual(await readdir(dataDir), [])
  })
}

/** Writes a backup that says that the database had this migration. */
async function backUpAs(t: TestContext, migration: string, path: string): Promise<void> {
  const source = await testDatabaseWithUrl(t)
  const dataDir = await aTemporaryFolder(t)
  await withSnapshot(source, (connection, manifest) =>
    writeBackup(
      connection,
      { ...manifest, migrations: [...manifest.migrations, migration].sort() },
      { dataDir },
      path,
      { signal: new AbortController().signal, progress: SILENT },
    ),
  )
}

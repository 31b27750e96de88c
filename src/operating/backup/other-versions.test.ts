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
    sql: sql`insert into kysely_migration (name, timestamp) values ('999_future', '')`,
    migrations: (own: readonly string[]) => [...own, '999_future'],
    restoring: /with the migration 999_future, which this version lacks: update it first$/,
    backingUp: /lacks \(the newest is 999_future\), .*: back it up with the version that applied them$/,
  },
  {
    name: 'a Handup before 0.3.0',
    sql: sql`delete from kysely_migration where name > '368'`,
    migrations: (own: readonly string[]) => own.filter((name) => name < '368'),
    restoring: /, before 0\.3\.0: restore it with Handup 0\.3\.0, and start this version on that database$/,
    backingUp:
      /of a Handup before 0\.3\.0 \(its newest migration is 367_lists_told\): back it up with that version$/,
  },
] as const

for (const { name, sql: change, migrations, restoring, backingUp } of OTHERS) {
  test(`a backup of ${name} is refused`, async (t) => {
    const dataDir = await aTemporaryFolder(t)
    const path = join(dataDir, 'other.backup')
    await backUpAs(t, migrations, path)
    const target = await newDatabase(t)
    await assert.rejects(restoreInto({ url: target.url, dataDir }, path), restoring)
  })

  test(`a database of ${name} is not backed up, as nothing could restore it`, async (t) => {
    const source = await testDatabaseWithUrl(t)
    await change.execute(source.db)
    const dataDir = await aTemporaryFolder(t)
    await assert.rejects(aBackup({ ...source, dataDir }, join(dataDir, 'other.backup')), backingUp)
    assert.deepEqual(await readdir(dataDir), [])
  })
}

/** Writes a backup that says that the database had these migrations. */
async function backUpAs(
  t: TestContext,
  migrations: (own: readonly string[]) => string[],
  path: string,
): Promise<void> {
  const source = await testDatabaseWithUrl(t)
  const dataDir = await aTemporaryFolder(t)
  await withSnapshot(source, (connection, manifest) =>
    writeBackup(connection, { ...manifest, migrations: migrations(manifest.migrations) }, { dataDir }, path, {
      signal: new AbortController().signal,
      progress: SILENT,
    }),
  )
}

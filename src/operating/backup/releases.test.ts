import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { appliedMigrations } from '../../database/migrations/applied.ts'
import { knownMigrations } from '../../database/migrations/files.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { questionPath } from '../../web/paths.ts'
import { handupVersion } from '../version.ts'
import { writeBackup } from './make-backup.ts'
import { compareVersions, FIRST, releasesBefore, storedReleases } from './releases.ts'
import { withSnapshot } from './snapshot.ts'
import { aBackup, aTemporaryFolder, restoreInto, SILENT, schemaOf } from './testing.ts'
import { backUpWorld, KINDS_OF_ROWS } from './world-testing.ts'

test('this version restores and upgrades the backup of each release since 0.3.0', async (t) => {
  const stored = await storedReleases()
  assert.ok(stored.size > 0)
  for (const version of await releasesBefore(await handupVersion()))
    assert.ok(
      stored.has(version),
      `db/releases has no backup of ${version}: db/releases/README.md says how to make it`,
    )
  for (const [version, path] of stored)
    if (compareVersions(version, FIRST) >= 0) await assertUpgrades(t, path)
})

test('a backup of 0.2.0 is refused with the way to restore it', async (t) => {
  const target = await newDatabase(t)
  const path = (await storedReleases()).get('0.2.0') ?? assert.fail('db/releases has none')
  await assert.rejects(restoreInto({ url: target.url, dataDir: await aTemporaryFolder(t) }, path), {
    message:
      'the backup was made by Handup 0.2.0, before 0.3.0: restore it with Handup 0.3.0, and start this version on that database',
  })
})

test('this version restores its own backup', async (t) => {
  const folder = await aTemporaryFolder(t)
  const path = join(folder, `handup-${await handupVersion()}.backup`)
  await backUpWorld(t, path)
  assert.deepEqual([...(await storedReleases(folder)).values()], [path])
  await assertUpgrades(t, path)
})

test('versions are compared by their numbers', () => {
  assert.deepEqual(['0.10.0', '0.2.0', '0.9.12', '1.0.0'].sort(compareVersions), [
    '0.2.0',
    '0.9.12',
    '0.10.0',
    '1.0.0',
  ])
})

/**
 * In an empty database, and in one that this version has migrated, the restored schema equals that of an empty
 * installation; the questions are readable.
 */
async function assertUpgrades(t: Ending, path: string): Promise<void> {
  const { db: fresh } = await testDatabaseWithUrl(t)
  for (const target of [await testDatabaseWithUrl(t), await newDatabase(t)]) {
    await restoreInto({ url: target.url, dataDir: await aTemporaryFolder(t) }, path)
    assert.deepEqual(await appliedMigrations(target.db), await knownMigrations())
    assert.deepEqual(await schemaOf(target.db), await schemaOf(fresh))
    await assertReadable(t, target.db)
    await assertRich(target.db)
  }
}

async function assertRich(db: Database): Promise<void> {
  for (const [kind, rows] of Object.entries(KINDS_OF_ROWS)) {
    const found = await sql`select from ${rows} limit 1`.execute(db)
    assert.equal(found.rows.length, 1, kind)
  }
}

async function assertReadable(t: Ending, db: Database): Promise<void> {
  assert.deepEqual(await recount(db), [])
  const app = await testApp(t, db)
  const listed = db.selectFrom('questions').select(['id', 'title']).where('is_listed', '=', true)
  const questions = await listed.orderBy('id').execute()
  assert.ok(questions.length > 0)
  for (const question of questions.slice(0, 5))
    assert.equal((await visitor(app).get(questionPath(question))).statusCode, 200)
}

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

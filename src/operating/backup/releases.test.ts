import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
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
import { compareVersions, FIRST, releasesBefore, storedReleases } from './releases.ts'
import { aTemporaryFolder, restoreInto, schemaOf } from './testing.ts'
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

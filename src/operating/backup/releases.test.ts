import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { appliedMigrations, knownMigrations } from '../../database/migrate.ts'
import { recount } from '../../database/recount.ts'
import { testApp } from '../../testing/app.ts'
import type { Ending } from '../../testing/at-end.ts'
import { visitor } from '../../testing/browser.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { questionPath } from '../../web/paths.ts'
import { loadSample } from '../sample/sample.ts'
import { handupVersion } from '../version.ts'
import { compareVersions, releasesBefore, storedReleases } from './releases.ts'
import { aBackup, aTemporaryFolder, restoreInto, schemaOf } from './testing.ts'

test('each release since 0.2.0 has left a backup, and this version takes it', async (t) => {
  const stored = await storedReleases()
  for (const version of await releasesBefore(await handupVersion()))
    assert.ok(
      stored.has(version),
      `db/releases has no backup of ${version}: db/releases/README.md says how to make it`,
    )
  for (const path of stored.values()) await assertUpgrades(t, path)
})

test('so is a backup that this version made', async (t) => {
  const source = await testDatabaseWithUrl(t)
  await loadSample(source.db)
  const folder = await aTemporaryFolder(t)
  const path = join(folder, `handup-${await handupVersion()}.backup`)
  await aBackup({ ...source, dataDir: folder }, path)
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

/** The restored schema equals an empty installation's of this version, and the questions are readable. */
async function assertUpgrades(t: Ending, path: string): Promise<void> {
  const target = await newDatabase(t)
  await restoreInto({ url: target.url, dataDir: await aTemporaryFolder(t) }, path)
  assert.deepEqual(await appliedMigrations(target.db), await knownMigrations())
  const { db: fresh } = await testDatabaseWithUrl(t)
  assert.deepEqual(await schemaOf(target.db), await schemaOf(fresh))
  assert.deepEqual(await recount(target.db), [])
  const app = await testApp(t, target.db)
  const questions = await target.db.selectFrom('questions').select(['id', 'title']).execute()
  assert.ok(questions.length > 0)
  for (const question of questions.slice(0, 5))
    assert.equal((await visitor(app).get(questionPath(question))).statusCode, 200)
}

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeSiteSettings, findSiteSettings } from '../../kernel/rights/site-settings.ts'
import { aBackup, aTemporaryFolder, restoreInto } from '../../operating/backup/testing.ts'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { anOwner } from '../testing.ts'
import { aPasskey, signInWith } from './testing.ts'

test('a passkey signs in to a restored forum, and what admins decided still holds', async (t) => {
  const source = { ...(await testDatabaseWithUrl(t)), dataDir: await aTemporaryFolder(t) }
  const person = await anOwner(source.db)
  const { key } = await aPasskey(await testApp(t, source.db), person)
  await changeSiteSettings(source.db, { staffNeedSecondFactor: true })
  const target = { ...(await newDatabase(t)), dataDir: await aTemporaryFolder(t) }
  await restoreInto(target, await aBackup(source, join(source.dataDir, 'forum.backup')))
  assert.equal((await signInWith(visitor(await testApp(t, target.db)), key)).statusCode, 303)
  assert.ok((await findSiteSettings(target.db)).staffNeedSecondFactor)
})

import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { assertStops, startInProcess } from './testing.ts'

test('BACKUP_EVERY with BACKUP_DIR: one of several processes makes a backup, and a restart none before the next is due', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const DATA_DIR = await aFolder(t)
  const BACKUP_DIR = join(DATA_DIR, 'backups')
  const variables = {
    DATABASE_URL: url,
    DATA_DIR,
    BACKUP_DIR,
    BACKUP_EVERY: '6h',
    WORKERS: '2',
    LOG_LEVEL: 'info',
  }
  const forum = await startInProcess(t, variables)
  const line = await forum.line(/"event":"backup-made"/)
  await forum.line(/Handup is ready/)
  await assertStops(forum)
  const files = await readdir(BACKUP_DIR)
  assert.deepEqual([files.length, files[0]], [1, JSON.parse(line).file])

  const again = await startInProcess(t, {
    ...variables,
    WORKERS: '1',
    BACKUP_DIR: join(BACKUP_DIR, 'no/where'),
  })
  assert.match(await again.line(/"event":"backup-failed"/), /is not there, or its folder is not/)
  await assertStops(again)
  assert.deepEqual(await readdir(BACKUP_DIR), files)
})

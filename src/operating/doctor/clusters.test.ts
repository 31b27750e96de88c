import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { noteOwner } from '../../database/embedded/owners.ts'
import { aTemporaryFolder } from '../backup/testing.ts'
import { checkClusters } from './disk.ts'

test('a database whose DATA_DIR is not there is told with its size, and never advised to be deleted', async (t) => {
  const stateDir = await aTemporaryFolder(t)
  const cluster = join(stateDir, 'a'.repeat(16))
  await mkdir(cluster)
  await noteOwner(cluster, '/mnt/not-mounted/data')
  const [finding] = await checkClusters(null, stateDir)
  assert.match(finding?.says ?? '', /a{16} \(of \/mnt\/not-mounted\/data, 0 kB, last used never\)$/)
  assert.doesNotMatch(finding?.advice ?? '', /clear|remove|delete/)
  assert.deepEqual(await checkClusters('postgres://another/database', stateDir), [])
})

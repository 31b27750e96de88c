import assert from 'node:assert/strict'
import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { noteOwner, outsideClusters, removeCluster } from './owners.ts'
import { aFolder } from './testing.ts'

const [USED, GONE, UNKNOWN] = ['a', 'b', 'c'].map((letter) => letter.repeat(16))
const LAST_USED = new Date('2026-01-02T03:04:05Z')

test('a cluster whose DATA_DIR is gone is orphaned and can be removed; one in use cannot', async (t) => {
  const folder = await aFolder(t)
  const [stateDir, dataDir] = [join(folder, 'state'), join(folder, 'data')]
  for (const name of [USED, GONE, UNKNOWN]) await mkdir(join(stateDir, String(name)), { recursive: true })
  await mkdir(dataDir)
  await symlink(join(stateDir, String(USED)), join(dataDir, 'postgres'))
  await noteOwner(join(stateDir, String(USED)), dataDir)
  await noteOwner(join(stateDir, String(GONE)), join(folder, 'no such checkout'))
  const control = join(stateDir, String(GONE), 'global/pg_control')
  await mkdir(dirname(control))
  await writeFile(control, Buffer.alloc(8192))
  await utimes(control, LAST_USED, LAST_USED)
  // Binaries and unfinished clusters beside them are not listed.
  await mkdir(join(stateDir, 'postgresql-18.4.0'))

  const states = async () => (await outsideClusters(stateDir)).map(({ name, state }) => [name, state])
  assert.deepEqual(await states(), [
    [USED, 'in use'],
    [GONE, 'orphaned'],
    [UNKNOWN, 'unknown'],
  ])
  const [used, gone] = await outsideClusters(stateDir)
  assert.ok(used && gone)
  assert.deepEqual([gone.bytes, gone.usedAt?.getTime()], [8192, LAST_USED.getTime()])
  await assert.rejects(removeCluster(used), /is in use/)
  await removeCluster(gone)
  assert.deepEqual(await states(), [
    [USED, 'in use'],
    [UNKNOWN, 'unknown'],
  ])
  assert.deepEqual(await outsideClusters(join(folder, 'nowhere')), [])
})

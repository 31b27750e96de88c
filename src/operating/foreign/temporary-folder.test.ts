import assert from 'node:assert/strict'
import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sweepFolders } from './temporary-folder.ts'

test('what a killed process left of an import or an export is gone after a day', async (t) => {
  const aFolder = async (prefix: string, hours: number) => {
    const folder = await mkdtemp(join(tmpdir(), prefix))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'people.jsonl'), '{}')
    const at = new Date(Date.now() - hours * 3_600_000)
    await utimes(folder, at, at)
    return folder
  }
  const left = await aFolder('handup-brought-', 25)
  const worked = await aFolder('handup-brought-', 23)
  const other = await aFolder('handup-other-', 25)
  await sweepFolders()
  const isThere = (folder: string) =>
    stat(folder).then(
      () => true,
      () => false,
    )
  assert.deepEqual(await Promise.all([left, worked, other].map(isThere)), [false, true, true])
})

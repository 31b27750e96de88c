import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { START, startInProcess } from './testing.ts'

test('with umask 000 nobody else may write to DATA_DIR, and code that others may have changed is not run', async (t) => {
  const { url } = await testDatabaseWithUrl(t)
  const folder = join(await aFolder(t), 'data')
  await mkdir(join(folder, 'compiled'), { recursive: true })
  const planted = join(folder, 'compiled', 'planted')
  await writeFile(planted, 'x')
  for (const path of [folder, join(folder, 'compiled')]) await chmod(path, 0o777)
  const forum = await startInProcess(t, { DATABASE_URL: url, DATA_DIR: folder, NODE_COMPILE_CACHE: '' }, [
    'sh',
    '-c',
    'umask 000 && exec "$0" "$@"',
    process.execPath,
    ...START,
  ])
  await forum.ready()
  await forum.line(/^Handup is ready/)
  forum.kill('SIGTERM')
  await forum.ended
  const names = await readdir(folder, { recursive: true })
  assert.ok(names.some((name) => name.startsWith('compiled/')))
  assert.ok(!names.includes('compiled/planted'))
  for (const name of ['.', ...names]) {
    const { mode } = await stat(join(folder, name))
    assert.equal(mode & 0o002, 0, `${name}: ${mode.toString(8)}`)
  }
  const asRoot = forum.lines().filter((line) => line.startsWith('runs as root'))
  assert.equal(asRoot.length, process.getuid?.() === 0 ? 1 : 0, 'said once')
})

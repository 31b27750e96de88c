import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { atEnd } from '../../testing/at-end.ts'
import { startEmbedded } from './embedded.ts'
import { run } from './process.ts'
import {
  aDatabase,
  aFolder,
  isRoot,
  nobody,
  optionsFor,
  refuses,
  startInProcess,
  theUsedFolder,
} from './testing.ts'

test('a data folder that is a file, or lies below one, is refused', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'data'), 'not a folder')
  await refuses(optionsFor(folder), join(folder, 'data'), 'is a file')
  await refuses(optionsFor(folder, { dataDir: join(folder, 'data', 'below') }), 'is a file')
})

test('a postgres folder with something else in it is refused and left alone', async (t) => {
  const folder = await aFolder(t)
  await mkdir(join(folder, 'data', 'postgres'), { recursive: true })
  await writeFile(join(folder, 'data', 'postgres', 'holiday.jpg'), '')
  await refuses(optionsFor(folder), 'holds no PostgreSQL cluster')
  assert.deepEqual(await readdir(join(folder, 'data', 'postgres')), ['holiday.jpg'])
})

test('a cluster of another PostgreSQL version is refused before anything is touched', async (t) => {
  const folder = await theUsedFolder(t)
  const file = join(folder, 'data', 'postgres', 'PG_VERSION')
  await writeFile(file, '17\n')
  atEnd(t, () => writeFile(file, '18\n'))
  await refuses(optionsFor(folder), 'made by PostgreSQL 17', 'brings 18', 'backup')
})

test('a lost or foreign password file is named', async (t) => {
  const folder = await theUsedFolder(t)
  const file = join(folder, 'data', 'postgres-password')
  await rename(file, `${file}.away`)
  atEnd(t, () => rename(`${file}.away`, file))
  await refuses(optionsFor(folder), file, 'is missing')
  await writeFile(file, 'A'.repeat(43))
  await refuses(optionsFor(folder), 'refuses the password')
})

test('a link to a cluster that is gone is not taken for a new installation', async (t) => {
  const folder = await aFolder(t)
  await mkdir(join(folder, 'data'))
  await symlink(join(folder, 'gone'), join(folder, 'data', 'postgres'))
  await refuses(optionsFor(folder), join(folder, 'gone'), 'is gone')
})

test('a moved data folder, copied by root with wide rights, starts', async (t) => {
  const folder = await theUsedFolder(t)
  await rename(join(folder, 'data'), join(folder, 'moved'))
  atEnd(t, () => rename(join(folder, 'moved'), join(folder, 'data')))
  await chmod(join(folder, 'moved', 'postgres'), 0o755)
  if (isRoot) await run('chown', ['-R', '0:0', join(folder, 'moved')], null)
  assert.equal((await aDatabase(t, optionsFor(folder, { dataDir: join(folder, 'moved') }))).isNew, false)
})

test('a platform without binaries, and damaged ones, are told from each other', async (t) => {
  const folder = await aFolder(t)
  await refuses(optionsFor(folder, { native: join(folder, 'nowhere') }), 'does not run here', 'DATABASE_URL')
  t.mock.property(process, 'arch', 'riscv64')
  await refuses(optionsFor(folder), 'riscv64', 'DATABASE_URL')
})

test('a folder that may not be written is named, with the user', {
  skip: !isRoot && 'needs root',
}, async (t) => {
  const folder = await aFolder(t, 0o755)
  await mkdir(join(folder, 'data'), { mode: 0o755 })
  const start = startInProcess(t, optionsFor(folder), { as: nobody })
  const { code, stderr } = await start.ended
  assert.equal(code, 1)
  assert.match(stderr, /^\S+\/data\/\S* cannot be used by nobody: .*\n$/)
})

test('a full disk stops the first start in one line; with room it works', {
  skip: !isRoot && 'needs root',
}, async (t) => {
  const folder = await aFolder(t)
  const { dataDir } = optionsFor(folder)
  await mkdir(dataDir)
  if ((await run('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=711', 'tmpfs', dataDir], null)).code !== 0) {
    return t.skip('no right to mount here')
  }
  atEnd(t, () => run('umount', [dataDir], null))
  await refuses(optionsFor(folder), dataDir, 'is full')
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => /new-|lock|^postgres$/.test(name)),
    [],
  )
  await run('mount', ['-o', 'remount,size=200m', dataDir], null)
  await (await startEmbedded(optionsFor(folder))).stop()
})

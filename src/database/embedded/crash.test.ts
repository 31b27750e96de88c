import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { atEnd } from '../../testing/at-end.ts'
import { until } from '../../testing/waiting.ts'
import { startEmbedded } from './embedded.ts'
import { readPostmasterFile } from './postmaster.ts'
import { processStamp } from './process.ts'
import { aDatabase, aFolder, isRoot, optionsFor, query, startInProcess, theUsedFolder } from './testing.ts'

test('a server killed under the app is back on the same port with everything acknowledged', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const { url } = await aDatabase(t, options)
  await query(url, 'create table kept_alone as select 1 as one')
  const server = await readPostmasterFile(join(options.dataDir, 'postgres'))
  assert.ok(server)
  process.kill(server.pid, 'SIGKILL')
  await until('the server answers again', () =>
    query(url, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  assert.deepEqual(await query(url, 'select one from kept_alone'), [{ one: 1 }])
})

test('app and server killed together: the next start recovers, though others have its number and its port now', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const cluster = join(options.dataDir, 'postgres')
  const app = startInProcess(t, options)
  const { url } = await app.started
  await query(url, 'create table kept_together as select 1 as one')
  const server = await readPostmasterFile(cluster)
  assert.ok(server)
  app.kill('SIGKILL')
  await app.ended
  process.kill(server.pid, 'SIGKILL')
  await until('the server is gone', () => processStamp(server.pid) === null)
  // A process of the same user, because PostgreSQL only checks those.
  const { uid, gid } = await stat(cluster)
  const namesake = spawn('sleep', ['60'], isRoot ? { uid, gid } : {})
  atEnd(t, () => namesake.kill())
  const file = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  await writeFile(join(cluster, 'postmaster.pid'), file.replace(/^\d+/, String(namesake.pid)))
  const other = createServer().listen(Number(new URL(url).port), '127.0.0.1')
  atEnd(t, () => other.close())

  const next = await aDatabase(t, options)
  assert.notEqual(next.url, url)
  assert.deepEqual(await query(next.url, 'select one from kept_together'), [{ one: 1 }])
})

test('an app whose connection an administrator cuts keeps the server from being stopped by others', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const lines: string[] = []
  const { url } = await aDatabase(t, { ...options, onProgress: (line) => lines.push(line) })
  const command = await startEmbedded({ ...options, role: 'command' })
  const secret = (await readFile(join(options.dataDir, 'postgres-password'), 'utf8')).trim()
  const asSuperuser = url.replace(/handup:[^@]+/, `postgres:${secret}`).replace(/handup$/, 'postgres')
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'handup app %'`
  assert.equal((await query(asSuperuser, cut)).length, 1)
  await until('the app is back', () => lines.includes('PostgreSQL runs again'))
  await command.stop()
  await query(url, 'select 1')
})

test('SIGTERM at any moment of a first start leaves nothing running and a folder that starts', async (t) => {
  const options = optionsFor(await aFolder(t))
  for (const delay of [150, 500]) {
    const start = startInProcess(t, options)
    await sleep(delay)
    start.kill('SIGTERM')
    await start.ended
    const left = (await readdir(options.dataDir).catch(() => [])).filter((name) => /new-|lock/.test(name))
    assert.deepEqual(left, [])
    assert.equal(await readPostmasterFile(join(options.dataDir, 'postgres')), null)
  }
  await query((await aDatabase(t, options)).url, 'select 1')
})

test('a first start killed during initdb leaves nothing in the way of the next', async (t) => {
  const options = optionsFor(await aFolder(t))
  const killed = startInProcess(t, options)
  const begun = async () =>
    (await readdir(options.dataDir).catch(() => [])).some((name) => name.includes('.new-'))
  await until('initdb is at work', begun)
  killed.kill('SIGKILL')
  await killed.ended
  assert.ok((await readdir(options.dataDir)).includes('postgres.lock'), 'its lock is left, too')
  const next = await aDatabase(t, options)
  assert.equal(next.isNew, true)
  assert.deepEqual((await readdir(options.dataDir)).sort(), ['postgres', 'postgres-password', 'postgres.log'])
})

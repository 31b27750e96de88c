import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startEmbedded } from './embedded.ts'
import { readPostmasterFile } from './postmaster.ts'
import { aDatabase, aFolder, optionsFor, query, refuses, startInProcess, theUsedFolder } from './testing.ts'

test('a second app on the same folder is refused in one line that names process and folder', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const first = startInProcess(t, options)
  const { url } = await first.started
  await refuses(options, `(process ${first.pid})`, options.dataDir)
  assert.deepEqual(await query(url, 'select 1 as one'), [{ one: 1 }], 'the first one still has its server')
})

test('a command works beside the app, and the last one to leave stops the server', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const app = await startEmbedded(options)
  const command = await startEmbedded({ ...options, role: 'command' })
  assert.equal(command.url, app.url)
  await app.stop()
  await query(command.url, 'select 1')
  const nextApp = await startEmbedded(options)
  await command.stop()
  await query(nextApp.url, 'select 1')
  await nextApp.stop()
  assert.equal(await readPostmasterFile(join(options.dataDir, 'postgres')), null)
})

test('a server left running by a killed app is used again, with what it had', async (t) => {
  const options = optionsFor(await theUsedFolder(t))
  const killed = startInProcess(t, options)
  const { url } = await killed.started
  await query(url, 'create table kept_by_killed as select 1 as one')
  killed.kill('SIGKILL')
  await killed.ended
  const next = await aDatabase(t, options)
  assert.equal(next.url, url)
  assert.equal(next.isNew, false)
  assert.deepEqual(await query(next.url, 'select one from kept_by_killed'), [{ one: 1 }])
})

test('of two first starts at once, one makes the cluster and the other joins it', async (t) => {
  const options = optionsFor(await aFolder(t), { role: 'command' })
  const starts = [startInProcess(t, options), startInProcess(t, options)]
  const answers = await Promise.all(starts.map((start) => start.started))
  assert.deepEqual(answers.map((answer) => answer.isNew).sort(), [false, true])
  assert.equal(answers[0]?.url, answers[1]?.url)
  for (const start of starts) start.kill('SIGTERM')
  for (const start of starts) assert.equal((await start.ended).code, 0)
  const left = await readdir(options.dataDir)
  assert.deepEqual(left.sort(), ['postgres', 'postgres-password', 'postgres.log'])
  assert.equal(await readPostmasterFile(join(options.dataDir, 'postgres')), null)
})

test('starts and stops racing on one folder never meet a half-dead server', async (t) => {
  const options = optionsFor(await theUsedFolder(t), { role: 'command' })
  const comeAndGo = async () => {
    for (let round = 0; round < 3; round++) {
      const database = await startEmbedded(options)
      await query(database.url, 'select 1')
      await database.stop()
    }
  }
  await Promise.all([comeAndGo(), comeAndGo(), comeAndGo()])
  assert.equal(await readPostmasterFile(join(options.dataDir, 'postgres')), null)
})

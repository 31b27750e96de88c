import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { readPostmasterFile } from '../../database/embedded/postmaster.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { startInProcess } from './testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const Package = z.object({ scripts: z.record(z.string(), z.string()) })

test('every npm script is replaced by its program, so that signals to npm reach it', async () => {
  const { scripts } = Package.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')))
  const others = Object.entries(scripts).filter(([, line]) => !/^(exec|npm) /.test(line))
  assert.deepEqual(others, [])
})

test('SIGTERM to npm, as a supervisor sends it, stops the forum and its database', async (t) => {
  const dataDir = join(await aFolder(t), 'data')
  const forum = await startInProcess(t, { DATA_DIR: dataDir, SAMPLE: 'off' }, ['npm', 'start'])
  await forum.ready()
  forum.kill('SIGTERM')
  await forum.ended
  assert.equal(await readPostmasterFile(join(dataDir, 'postgres')), null)
  await assert.rejects(fetch(`${forum.url}/healthz`))
})

test('Ctrl-C, which the terminal sends to npm and forum alike, stops the database, too', async (t) => {
  const dataDir = join(await aFolder(t), 'data')
  const forum = await startInProcess(t, { DATA_DIR: dataDir, SAMPLE: 'off' }, ['npm', 'start'])
  await forum.ready()
  process.kill(-forum.pid, 'SIGINT')
  await forum.ended
  assert.equal(await readPostmasterFile(join(dataDir, 'postgres')), null)
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { readPostmasterFile } from '../../database/embedded/postmaster.ts'
import { aFolder } from '../../database/embedded/testing.ts'
import { type StartedForum, startInProcess } from './testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const Package = z.object({ scripts: z.record(z.string(), z.string()) })

test('every npm script is replaced by its program, so that signals to npm reach it', async () => {
  const { scripts } = Package.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')))
  const others = Object.entries(scripts).filter(([, line]) => !/^(exec|npm) /.test(line))
  assert.deepEqual(others, [])
})

const STOPS: readonly [what: string, stop: (forum: StartedForum) => void][] = [
  ['SIGTERM to npm, as a supervisor sends it', (forum) => forum.kill('SIGTERM')],
  ['Ctrl-C, which the terminal sends to npm and forum alike', ({ pid }) => process.kill(-pid, 'SIGINT')],
]
for (const [what, stop] of STOPS)
  test(`${what}, stops the forum and its database`, async (t) => {
    const dataDir = join(await aFolder(t), 'data')
    const forum = await startInProcess(t, { DATA_DIR: dataDir, SAMPLE: 'off' }, ['npm', 'start'])
    await forum.ready()
    stop(forum)
    await forum.ended
    assert.equal(await readPostmasterFile(join(dataDir, 'postgres')), null)
    await assert.rejects(fetch(`${forum.url}/healthz`))
  })

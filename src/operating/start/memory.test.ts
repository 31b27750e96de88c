import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { z } from 'zod'
import { START } from './testing.ts'

const ROOT = join(import.meta.dirname, '../../..')
const Package = z.object({ scripts: z.object({ start: z.string() }) })
const COMMAND = ['node', ...START.map((word) => (word.startsWith(ROOT) ? relative(ROOT, word) : word))]

test('npm start, the image and these tests give the forum the same memory', async () => {
  const { scripts } = Package.parse(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')))
  assert.equal(scripts.start, ['exec', ...COMMAND].join(' '))
  const image = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
  assert.deepEqual(JSON.parse(/^CMD (\[.*\])$/m.exec(image)?.[1] ?? 'null'), COMMAND)
})

test('what serves does not load the client of fetch', async () => {
  const program = `await import('./src/operating/start/serve.ts')
    console.log(process.moduleLoadList.filter((name) => name.includes('undici')).join())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
  })
  assert.equal(stdout.trim(), '')
})

import assert from 'node:assert/strict'
import { writeSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { boundLog, openLog } from './log.ts'
import { aFolder } from './testing.ts'

test('a log over 4 MiB is cut, its newest part kept aside, and the open server writes on', async (t) => {
  const folder = await aFolder(t)
  const [path, aside] = [join(folder, 'postgres.log'), join(folder, 'postgres.log.1')]
  await writeFile(path, `${'old\n'.repeat(1_500_000)}newest line\n`)
  const log = await openLog(folder)
  await boundLog(folder)
  assert.equal((await readFile(path)).length, 0)
  const kept = await readFile(aside, 'utf8')
  assert.equal(kept.length, 4 * 1024 * 1024)
  assert.ok(kept.endsWith('newest line\n'))
  writeSync(log.fd, 'next line\n')
  assert.equal(await readFile(path, 'utf8'), 'next line\n')
  await log.close()
})

test('a small log stays as it is', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'postgres.log'), 'a line\n')
  await boundLog(folder)
  assert.equal(await readFile(join(folder, 'postgres.log'), 'utf8'), 'a line\n')
})

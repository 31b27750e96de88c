import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withStartLock } from './embedded.ts'
import { processStamp } from './process.ts'
import { aFolder } from './testing.ts'

const locked = <Result>(folder: string, work: () => Promise<Result>) =>
  withStartLock(folder, new AbortController().signal, () => {}, work)

test('many at once get the start lock one after the other', async (t) => {
  const folder = await aFolder(t)
  let [inside, most] = [0, 0]
  const enter = () =>
    locked(folder, async () => {
      most = Math.max(most, ++inside)
      await sleep(5)
      inside--
    })
  await Promise.all(Array.from({ length: 8 }, enter))
  assert.equal(most, 1)
  assert.deepEqual(await readdir(folder), [])
})

test('a lock left by a dead process, a namesake or a power failure is taken over', async (t) => {
  const folder = await aFolder(t)
  const left = [
    JSON.stringify({ pid: 2 ** 22 + 1, stamp: 'long ago', token: 'a' }),
    JSON.stringify({ pid: process.pid, stamp: 'before the restart', token: 'b' }),
    '',
  ]
  for (const content of left) {
    await writeFile(join(folder, 'postgres.lock'), content)
    assert.equal(await locked(folder, async () => 'in'), 'in')
  }
})

test('waiting for a living owner is told, and ends when the signal says so', async (t) => {
  const folder = await aFolder(t)
  const owner = { pid: process.ppid, stamp: processStamp(process.ppid), token: 'parent' }
  await writeFile(join(folder, 'postgres.lock'), JSON.stringify(owner))
  const lines: string[] = []
  const waiting = new AbortController()
  const told = (line: string) => {
    lines.push(line)
    waiting.abort()
  }
  await assert.rejects(withStartLock(folder, waiting.signal, told, async () => 'in'))
  assert.deepEqual(lines, [`Waiting for another start on this folder (process ${process.ppid})`])
  assert.deepEqual(await readdir(folder), ['postgres.lock'])
})

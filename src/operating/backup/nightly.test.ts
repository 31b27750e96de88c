import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { atEnd } from '../../testing/at-end.ts'
import { aQuestion } from '../../testing/builders.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { until } from '../../testing/waiting.ts'
import { aTemporaryFolder } from './testing.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** How a shell ended that was told to. It is told again: between its last step and its wait it can miss a signal. */
async function stopped(child: ChildProcess): Promise<unknown[]> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const again = setInterval(() => child.kill('SIGTERM'), 500)
  return exit.finally(() => clearInterval(again))
}

test('the nightly backup makes one at once when there is none of the last day, removes old ones, and stops when told', async (t) => {
  const { db, url } = await testDatabaseWithUrl(t)
  await aQuestion(db)
  const folder = await aTemporaryFolder(t)
  const names = ['handup-2026-01-01T030000.backup', 'handup-2026-01-01T030000.backup.ab12.part', 'notes.txt']
  await keepOld(folder, names)
  const { child, text } = nightly(t, {
    BACKUPS: folder,
    DATABASE_URL: url,
    BACKUP_AT: '03:00',
    BACKUP_DAYS: '14',
  })
  await until('the backup is made', () => {
    assert.equal(child.exitCode, null, text())
    return text().includes('newest migration')
  })
  // Its last step before it waits for the night.
  await until('old ones are removed', async () => !(await readdir(folder)).includes(names[1] ?? ''))
  const left = await readdir(folder)
  assert.equal(left.length, 2, left.join())
  assert.ok(left.includes('notes.txt'), 'what is not ours stays')
  assert.ok(left.some((name) => /^handup-\d{4}-\d\d-\d\dT\d{6}\.backup$/.test(name)))
  assert.deepEqual(await stopped(child), [0, null])
})

test('the nightly backup says what is wrong with a time or a number, and does nothing', async (t) => {
  const folder = await aTemporaryFolder(t)
  for (const [name, value] of [
    ['BACKUP_AT', '3 am'],
    ['BACKUP_AT', '29:00'],
    ['BACKUP_DAYS', 'two weeks'],
  ] as const) {
    const { child, text } = nightly(t, { BACKUPS: folder, [name]: value })
    assert.deepEqual(await once(child, 'close'), [1, null])
    assert.match(text(), new RegExp(`^nightly backup: ${name} [^\\n]*${value}[^\\n]*\\n$`))
  }
  assert.deepEqual(await readdir(folder), [])
})

test('the nightly backup rests where the forum backs itself up', async (t) => {
  const folder = await aTemporaryFolder(t)
  const { child, text } = nightly(t, { BACKUPS: folder, BACKUP_EVERY: '6h' })
  await until('it says so', () => text().includes('the forum backs itself up every 6h'))
  assert.deepEqual(await stopped(child), [0, null])
  assert.deepEqual(await readdir(folder), [])
})

test('a backup that lacks pictures does not push out the last complete one, and old ones that lack some go', async (t) => {
  const [folder, bin] = [await aTemporaryFolder(t), await aTemporaryFolder(t)]
  // Stands for the program: makes the file, and says that it lacks pictures.
  await writeFile(join(bin, 'node'), '#!/bin/sh\n[ "$2" = restore ] || { : > "$3"; exit 3; }\n', {
    mode: 0o755,
  })
  const [older, whole, lacking] = [
    'handup-2026-01-01T030000.backup',
    'handup-2026-01-02T030000.backup',
    'handup-2026-01-03T030000.incomplete.backup',
  ]
  await keepOld(folder, [older, whole, lacking])
  const { text } = nightly(t, { BACKUPS: folder, PATH: `${bin}:${process.env.PATH}` })
  await until('old ones are removed', async () => !(await readdir(folder)).includes(lacking))
  const left = (await readdir(folder)).sort()
  assert.equal(left.length, 2, left.join())
  assert.equal(left[0], whole)
  assert.match(left[1] ?? '', /^handup-.*\.incomplete\.backup$/)
  assert.match(text(), /lacks pictures, see above; the last complete backup is kept/)
})

/** Files of twenty days ago. */
async function keepOld(folder: string, names: readonly string[]): Promise<void> {
  const longAgo = new Date(Date.now() - 20 * 24 * 60 * 60_000)
  for (const name of names) {
    await writeFile(join(folder, name), 'old')
    await utimes(join(folder, name), longAgo, longAgo)
  }
}

/** The script, run like the service in docker-compose.yml. */
function nightly(t: TestContext, variables: Readonly<Record<string, string>>) {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const child = spawn('sh', ['docker/nightly-backup.sh'], { cwd: ROOT, env: { PATH, ...variables } })
  const parts: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part) => parts.push(part))
  atEnd(t, async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  return { child, text: () => parts.join('') }
}

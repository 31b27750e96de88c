import assert from 'node:assert/strict'
import { realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFolder } from '../../database/embedded/testing.ts'
import { runCommand } from '../../testing/command.ts'
import { databaseLine } from './database-line.ts'

const MAIN = join(import.meta.dirname, 'main.ts')

test('a command names its database once unless DATA_DIR or DATABASE_URL does', async (t) => {
  const folder = await realpath(await aFolder(t))
  // No folder, so that each command ends before it starts a database.
  const file = join(folder, '.data')
  await writeFile(file, '')
  const run = (environment: Readonly<Record<string, string>>, ...args: string[]) =>
    runCommand('sh', ['-c', 'cd "$FOLDER" && exec "$NODE" "$MAIN" "$@" 2>&1 >/dev/null', 'sh', ...args], {
      environment: {
        FOLDER: folder,
        NODE: process.execPath,
        MAIN,
        DATA_DIR: '',
        DATABASE_URL: '',
        ...environment,
      },
    })
  const line = `handup: database: embedded, in ${file} (set DATA_DIR or DATABASE_URL for another)\n`
  for (const args of [['course', 'list'], ['migrate'], ['doctor']]) {
    const { output } = await run({}, ...args)
    assert.equal(output.split(line).length, 2, output)
    assert.ok(output.startsWith(line), output)
  }
  assert.doesNotMatch((await run({ DATA_DIR: file }, 'course', 'list')).output, /database: embedded/)
  assert.doesNotMatch((await run({}, 'rights')).output, /database: embedded/)
})

test('a database that the environment names is not named again', () => {
  assert.equal(databaseLine({ DATABASE_URL: 'postgres://db.example.org/handup' }), null)
  assert.equal(databaseLine({ DATA_DIR: '/srv/handup' }), null)
})

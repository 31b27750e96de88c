import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { aQuestion } from '../../testing/builders.ts'
import { runCommand } from '../../testing/command.ts'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { makeBackup } from './make-backup.ts'
import { aTemporaryFolder, fill } from './testing.ts'

const CLI = join(import.meta.dirname, '../../tools/cli/main.ts')

suite('a backup that is broken off leaves what was there, and no part of itself', () => {
  test('when it is stopped', async (t) => {
    const place = await aLargePlace(t)
    const stopping = new AbortController()
    const made = makeBackup(place, place.path, {
      signal: stopping.signal,
      progress: { begin() {}, advance: () => stopping.abort() },
    })
    await assert.rejects(made, /forum\.backup was not made: it was stopped/)
    await assertNothingLeft(place)
  })

  test('when its connection to the database is cut', async (t) => {
    const place = await aLargePlace(t)
    let cut: Promise<unknown> | null = null
    const advance = () => {
      cut ??= sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like 'copy %'`.execute(
        place.db,
      )
    }
    const signal = new AbortController().signal
    await assert.rejects(
      makeBackup(place, place.path, { signal, progress: { begin() {}, advance } }),
      // Either the server's error message or the client's timeout.
      /terminat|connection error/,
    )
    await cut
    await assertNothingLeft(place)
  })

  test('when there is no room for it: one line says so', async (t) => {
    const place = await aLargePlace(t)
    // A file size limit stands in for a full disk.
    const command = 'ulimit -f 4000; exec "$NODE" "$CLI" backup --replace "$FILE"'
    const environment = { NODE: process.execPath, CLI, FILE: place.path, DATABASE_URL: place.url }
    const { code, output } = await runCommand('sh', ['-c', command], { environment })
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('Backing up'))
    assert.deepEqual([code, lines.length], [1, 1], output)
    assert.match(output, /^handup: .*forum\.backup grew larger than this user’s files may be$/m)
    await assertNothingLeft(place)
  })
})

/** More data than the buffers of a connection hold, and an older file that a backup of the same name would replace. */
async function aLargePlace(t: TestContext) {
  const place = await testDatabaseWithUrl(t)
  await aQuestion(place.db)
  await fill(place.url, 20)
  const dataDir = await aTemporaryFolder(t)
  const path = join(dataDir, 'forum.backup')
  await writeFile(path, 'the one of yesterday')
  return { ...place, dataDir, path }
}

async function assertNothingLeft(place: Awaited<ReturnType<typeof aLargePlace>>): Promise<void> {
  assert.deepEqual(await readdir(place.dataDir), ['forum.backup'])
  const open = sql`
    select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
  // A connection that stays open makes the test time out.
  while ((await open.execute(place.db)).rows.length > 0);
}

import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { aQuestion } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { aTemporaryFolder, fill, handup, MEGABYTE } from './testing.ts'

/**
 * Beyond the memory of the command on an almost empty forum: garbage takes 90 MB, measured with 200 MB and 600 MB of
 * data.
 */
const MAX_EXTRA_BYTES = 130 * MEGABYTE
const DATA_MB = 150
/** Prints the peak memory of the process in KB when it exits. */
const PRINT_PEAK = "process.on('exit', () => console.log('peak ' + process.resourceUsage().maxRSS))"

test('a forum much larger than the memory it takes is backed up and restored', async (t) => {
  const folder = await aTemporaryFolder(t)
  const source = await testDatabaseWithUrl(t)
  const path = join(folder, 'forum.backup')
  await aQuestion(source.db)
  const small = await peakOf(source.url, 'backup', path)
  await fill(source.url, DATA_MB)

  const backup = await peakOf(source.url, 'backup', path, '--replace')
  const { size } = await stat(path)
  assert.ok(size > 68 * MEGABYTE, `the file has ${size} bytes`)
  assert.ok(
    backup - small < MAX_EXTRA_BYTES,
    `backup: ${backup / MEGABYTE} MB, of a small one ${small / MEGABYTE}`,
  )

  const restore = await peakOf((await newDatabase(t)).url, 'restore', path)
  assert.ok(restore - small < MAX_EXTRA_BYTES, `restore: ${restore / MEGABYTE} MB, small ${small / MEGABYTE}`)
})

/** @returns bytes */
async function peakOf(url: string, ...args: readonly string[]): Promise<number> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(PRINT_PEAK)}`
  const { code, output } = await handup({ DATABASE_URL: url, NODE_OPTIONS: preload }, ...args)
  assert.equal(code, 0, output)
  return Number(/^peak (\d+)$/m.exec(output)?.[1]) * 1024
}

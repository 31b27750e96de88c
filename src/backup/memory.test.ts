import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../database/connection.ts'
import type { Database } from '../database/schema.ts'
import { aQuestion } from '../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../testing/database.ts'
import { aTemporaryFolder, handup } from './testing.ts'

const MEGABYTE = 2 ** 20
/** Beyond what the command takes for an almost empty forum: 90 MB of garbage on its way, measured with 200 MB as with 600. */
const MOST_MORE = 130 * MEGABYTE
const DATA = 200
/** Tells the process's highest memory, in KB, when it ends. */
const TELL = "process.on('exit', () => console.log('peak ' + process.resourceUsage().maxRSS))"

test('a forum much larger than the memory it takes is backed up and restored', async (t) => {
  const folder = await aTemporaryFolder(t)
  const source = await testDatabaseWithUrl(t)
  const path = join(folder, 'forum.backup')
  await aQuestion(source.db)
  const small = await peakOf(source.url, 'backup', path)
  const patient = connect(source.url, { statementTimeout: 0 })
  await fill(patient, DATA).finally(() => patient.destroy())

  const backup = await peakOf(source.url, 'backup', path, '--replace')
  const { size } = await stat(path)
  assert.ok(size > 90 * MEGABYTE, `the file has ${size} bytes`)
  assert.ok(backup - small < MOST_MORE, `backup: ${backup / MEGABYTE} MB, of a small one ${small / MEGABYTE}`)

  const restore = await peakOf((await newDatabase(t)).url, 'restore', path)
  assert.ok(restore - small < MOST_MORE, `restore: ${restore / MEGABYTE} MB, small ${small / MEGABYTE}`)
})

/** Replies whose text cannot be compressed by much: so many megabytes of it. */
async function fill(db: Database, megabytes: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    await sql`alter table replies disable trigger user`.execute(write)
    // 32 characters of a digest a piece, 100 pieces a reply.
    await sql`
      insert into replies (question_id, author_id, body, body_html, renderer_version)
      select q.id, q.author_id, words, reverse(words), 1 from questions as q, generate_series(1, ${Math.ceil((megabytes * MEGABYTE) / 6400)}) as n,
        lateral (select string_agg(md5(n || '.' || piece), '') as words from generate_series(1, 100) as piece) as made`.execute(
      write,
    )
    await sql`alter table replies enable trigger user`.execute(write)
  })
}

/** @returns bytes */
async function peakOf(url: string, ...args: readonly string[]): Promise<number> {
  const preload = `--import=data:text/javascript,${encodeURIComponent(TELL)}`
  const { code, output } = await handup({ DATABASE_URL: url, NODE_OPTIONS: preload }, ...args)
  assert.equal(code, 0, output)
  return Number(/^peak (\d+)$/m.exec(output)?.[1]) * 1024
}

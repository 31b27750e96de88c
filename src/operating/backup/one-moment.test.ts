import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '../../database/connection.ts'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { aCourse, anAnswer, aPerson, aQuestion, aReply } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { untilWaiting } from '../../testing/waiting.ts'
import { checkBackup } from './check-backup.ts'
import { writeBackup } from './make-backup.ts'
import { withSnapshot } from './snapshot.ts'
import { aBackup, aTemporaryFolder, digestsOf, restoreInto, SILENT } from './testing.ts'

const WRITERS = 6

test('a backup made while people write is the forum of one moment, to the last row', async (t) => {
  const source = await testDatabaseWithUrl(t)
  const dataDir = await aTemporaryFolder(t)
  const path = join(dataDir, 'forum.backup')
  const writing = startWriting(source.url)
  await writing.until(40)
  const moment = await withSnapshot(source, async (connection, manifest) => {
    const digests = await digestsOf(connection.write)
    const before = writing.written()
    await writeBackup(connection, manifest, { dataDir }, path, {
      signal: new AbortController().signal,
      progress: SILENT,
    })
    await writing.until(before + 20)
    return { digests, rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0) }
  })
  await writing.stop()
  assert.notDeepEqual(await digestsOf(source.db), moment.digests, 'people wrote on')

  const target = await newDatabase(t)
  await restoreInto({ url: target.url, dataDir }, path)

  assert.deepEqual(await digestsOf(target.db), moment.digests)
  assert.ok(moment.rows > 100)
  assert.deepEqual(await recount(target.db), [])
})

test('a backup begun during a migration waits for it, and has what it made', async (t) => {
  const source = await testDatabaseWithUrl(t)
  await aPerson(source.db)
  const dataDir = await aTemporaryFolder(t)
  const mayEnd = Promise.withResolvers<void>()
  const isBegun = Promise.withResolvers<void>()
  const migration = source.db.transaction().execute(async (write) => {
    await sql`lock table people in access exclusive mode`.execute(write)
    await sql`create table novelties as select 1 as id`.execute(write)
    isBegun.resolve()
    await mayEnd.promise
  })
  await isBegun.promise
  const path = join(dataDir, 'forum.backup')
  const made = aBackup({ ...source, dataDir }, path)
  await untilWaiting(source.db)
  mayEnd.resolve()
  await migration
  await made

  const { manifest } = await checkBackup(path, SILENT)
  assert.deepEqual(
    manifest.tables.find((table) => table.name === 'novelties'),
    { name: 'novelties', columns: ['id'], rows: 1 },
  )
  const { leftOut } = await restoreInto({ url: (await newDatabase(t)).url, dataDir }, path)
  assert.deepEqual(leftOut, ['novelties'], 'a table of nobody’s migration is told')
})

/** People who sign up, ask, answer, reply and vote concurrently until they are stopped. */
function startWriting(url: string) {
  const db = connect(url, { connections: WRITERS, connectionTimeout: 30_000, statementTimeout: 30_000 })
  let written = 0
  let isStopping = false
  const write = async (course: Awaited<ReturnType<typeof aCourse>>) => {
    while (!isStopping) {
      await writeThread(db, course)
      written += 1
    }
  }
  const writers = (async () => {
    const course = await aCourse(db)
    await Promise.all(Array.from({ length: WRITERS }, () => write(course)))
  })()
  const until = async (count: number) => {
    while (written < count) await Promise.race([writers, new Promise((resolve) => setTimeout(resolve, 5))])
  }
  const stop = async () => {
    isStopping = true
    await writers
    await db.destroy()
  }
  return { until, stop, written: () => written }
}

async function writeThread(db: Database, course: Awaited<ReturnType<typeof aCourse>>): Promise<void> {
  const author = await aPerson(db)
  const body = 'tab\t, line\nend, back\\slash, \\N, 한국어, 👩‍🚀, "quotes"'
  const question = await aQuestion(db, { course, author, body, tags: ['json', '자바'], votes: 2 })
  const answer = await anAnswer(db, { question, isAccepted: true, votes: 1 })
  await aReply(db, { answer, author })
}

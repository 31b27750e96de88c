import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import type { Database } from '../../database/schema.ts'
import { eventCursor, readEventLog } from '../../forum/events/cursor.ts'
import { numberEvents } from '../../forum/events/numbering.ts'
import { numberAt } from '../../forum/events/testing.ts'
import { testApp } from '../../testing/app.ts'
import { visitor } from '../../testing/browser.ts'
import { aCourse, aPerson, aQuestion } from '../../testing/builders.ts'
import { newDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { withoutTokens } from '../../testing/page.ts'
import { aProxy } from '../../testing/proxy.ts'
import { questionPath } from '../../web/paths.ts'
import { loadSample } from '../sample/sample.ts'
import { tablesToKeep } from './snapshot.ts'
import { aBackup, aTemporaryFolder, digestsOf, handup, restoreInto, schemaOf } from './testing.ts'

test('every page of a restored forum is what it was', async (t) => {
  const source = await aPlace(t)
  await loadSample(source.db)
  const target = await restored(t, source)

  const [before, after] = [await testApp(t, source.db), await testApp(t, target.db)]
  const paths = await pagesOf(source.db)
  assert.ok(paths.length > 30)
  for (const path of paths) assert.equal(await bodyOf(after, path), await bodyOf(before, path), path)
})

test('a restored database is built like any other, and nothing of its triggers ran twice', async (t) => {
  const source = await aPlace(t)
  await aQuestion(source.db, { tags: ['json', 'rest'], answers: 2, votes: 3 })
  const target = await restored(t, source)
  assert.deepEqual(await schemaOf(target.db), await schemaOf(source.db))
  assert.deepEqual(await digestsOf(target.db), await digestsOf(source.db))
})

test('what comes after a restore gets new ids, also where the last rows were deleted before the backup', async (t) => {
  const source = await aPlace(t)
  const course = await aCourse(source.db)
  await aQuestion(source.db, { course })
  const gone = await aQuestion(source.db, { course })
  await source.db.deleteFrom('questions').where('id', '=', gone.id).execute()
  const target = await restored(t, source)

  assert.equal((await aQuestion(target.db, { course })).id, gone.id + 1)
})

test('programs are told nothing again, and that their cursors have expired', async (t) => {
  const source = await aPlace(t)
  await aQuestion(source.db)
  await numberEvents(source.db)
  const log = await readEventLog(source.db)
  const target = await restored(t, source)
  await aQuestion(target.db)
  await numberEvents(target.db)

  const app = await testApp(t, target.db)
  const { items, cursor } = (await app.inject('/api/v1/events')).json()
  assert.equal(items.length, 1)
  assert.equal(await numberAt(target.db, cursor), await numberAt(target.db, items[0].id))
  const expired = await app.inject(`/api/v1/events?after=${eventCursor(log, log.numberedTo)}`)
  assert.equal(expired.statusCode, 410)
})

test('no session and no link of the time before lets anybody in', async (t) => {
  const source = await aPlace(t)
  const person = await aPerson(source.db, { displayName: 'Mina' })
  const token = await beginSession(source.db, person.id, 'a test')
  const target = await restored(t, source)

  const { rows } = await sql<{ table: string }>`
    select table_name as table from information_schema.columns
    where table_schema = 'public' and column_name = 'token_hash'`.execute(target.db)
  assert.ok(rows.length >= 4)
  for (const { table } of rows) {
    const left = await sql`select from ${sql.table(table)}`.execute(target.db)
    assert.equal(left.rows.length, 0, table)
  }
  const app = await testApp(t, target.db)
  const answer = await app.inject({ url: '/settings', cookies: { session: token } })
  assert.equal(answer.statusCode, 303)
  assert.ok(await target.db.selectFrom('people').select('id').where('id', '=', person.id).executeTakeFirst())
})

test('what may be lost in a crash, and the migrator’s own, is not in a backup', async (t) => {
  const { db } = await aPlace(t)
  const kept = new Set((await db.transaction().execute(tablesToKeep)).map((table) => table.name))
  for (const name of ['question_views', 'kysely_migration', 'sessions']) assert.ok(!kept.has(name), name)
  for (const name of ['people', 'questions', 'search_documents']) assert.ok(kept.has(name), name)
})

test('uploads come back with the data, and not over others', async (t) => {
  const source = await aPlace(t)
  await aPerson(source.db)
  const files = { 'ab/picture.webp': Buffer.alloc(200_000, 7), 'empty.webp': Buffer.alloc(0) }
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(source.dataDir, 'uploads', name)), { recursive: true })
    await writeFile(join(source.dataDir, 'uploads', name), content)
  }
  await writeFile(join(source.dataDir, 'uploads', 'ab', 'half.webp.0a1b2c3d.part'), 'being written')
  const path = await aBackup(source, join(source.dataDir, 'forum.backup'))
  const target = await newPlace(t)
  await restoreInto(target, path)
  assert.deepEqual(await readdir(join(target.dataDir, 'uploads', 'ab')), ['picture.webp'])
  for (const [name, content] of Object.entries(files))
    assert.deepEqual(await readFile(join(target.dataDir, 'uploads', name)), content)

  const other = await newDatabase(t)
  await assert.rejects(restoreInto({ ...target, url: other.url }, path), /already has uploads/)
})

test('uploads of data that never came are not left behind', async (t) => {
  const source = await aPlace(t)
  await aPerson(source.db)
  await mkdir(join(source.dataDir, 'uploads'))
  await writeFile(join(source.dataDir, 'uploads', 'picture.webp'), 'a picture')
  const path = await aBackup(source, join(source.dataDir, 'forum.backup'))
  const target = await newPlace(t)
  const proxy = await aProxy(t, target.url)
  // The protocol's end of a statement.
  proxy.cutAt('commit\0')
  await assert.rejects(
    restoreInto({ ...target, url: proxy.url }, path),
    /Connection terminated|connection error/,
  )
  assert.deepEqual(await readdir(target.dataDir), [])
  await restoreInto(target, path)
  assert.deepEqual(await readdir(join(target.dataDir, 'uploads')), ['picture.webp'])
})

test('the commands say what they did, and what is not in a backup', async (t) => {
  const source = await aPlace(t)
  await aQuestion(source.db)
  const target = await newPlace(t)
  const path = join(source.dataDir, 'forum.backup')
  const made = await handup({ DATABASE_URL: source.url, DATA_DIR: source.dataDir }, 'backup', path)
  assert.equal(made.code, 0, made.output)
  assert.match(made.output, /^backed up \d+ rows of \d+ tables, as of .*forum\.backup, \d+ kB$/m)
  assert.match(made.output, /^not in it: SECRET/m)

  const again = await handup({ DATABASE_URL: source.url, DATA_DIR: source.dataDir }, 'backup', path)
  assert.deepEqual([again.code, again.output.trim().split('\n').length], [1, 1], again.output)
  assert.match(again.output, /already exists: name another file, or add --replace/)

  const restored = await handup({ DATABASE_URL: target.url, DATA_DIR: target.dataDir }, 'restore', path)
  assert.equal(restored.code, 0, restored.output)
  assert.match(restored.output, /^1 +questions$/m)
  assert.match(restored.output, /^restored\. Set SECRET/m)
})

async function aPlace(t: TestContext) {
  return { ...(await testDatabaseWithUrl(t)), dataDir: await aTemporaryFolder(t) }
}

async function newPlace(t: TestContext) {
  return { ...(await newDatabase(t)), dataDir: await aTemporaryFolder(t) }
}

/** Where its backup was restored. */
async function restored(t: TestContext, source: Awaited<ReturnType<typeof aPlace>>) {
  const target = await newPlace(t)
  await restoreInto(target, await aBackup(source, join(source.dataDir, 'forum.backup')))
  return target
}

/** Pages whose content comes from the database. */
async function pagesOf(db: Database): Promise<string[]> {
  const questions = await db.selectFrom('questions').select(['id', 'title']).execute()
  const people = await db.selectFrom('people').select('id').execute()
  const lists = ['/', '/questions?sort=votes', '/questions?status=unanswered', '/courses', '/tags']
  return [
    ...lists,
    ...['/search?q=json', '/search?q=%22object+mapper%22', '/feed.atom', '/sitemap.xml'],
    ...questions.map(questionPath),
    ...people.map(({ id }) => `/people/${id}/x`),
  ]
}

/** A visitor's page without its tokens, which differ each time. */
async function bodyOf(app: FastifyInstance, path: string): Promise<string> {
  const browser = visitor(app)
  const answer = await browser.get(path)
  const page = answer.statusCode === 301 ? await browser.follow(answer) : answer
  assert.equal(page.statusCode, 200, path)
  // Ages grow while the pages are read.
  return withoutTokens(page.body).replaceAll(/(<time [^>]*>)[^<]*/g, '$1')
}

import assert from 'node:assert/strict'
import { appendFile, cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { recount } from '../../database/recount.ts'
import type { Database } from '../../database/schema.ts'
import { fileStore, type PictureStore } from '../../forum/pictures/store.ts'
import { deleteCourse } from '../../forum/purging/course-deletion.ts'
import { testApp } from '../../testing/app.ts'
import { signedIn } from '../../testing/browser.ts'
import { aPerson } from '../../testing/builders.ts'
import { differing, lookOf } from '../../testing/changes.ts'
import { testDatabase } from '../../testing/database.ts'
import { rowOf, rowsOf, setRows, valuesOf } from '../../testing/rows.ts'
import { until } from '../../testing/waiting.ts'
import { loadSample } from '../sample/sample.ts'
import { exportCourse } from './course-export.ts'
import { importExchange, tryExchange } from './course-import.ts'
import { aFolder, aWholeCourse, BASE_URL, exportedFrom } from './course-testing.ts'
import { sweepImportRuns, undoRun } from './import-run.ts'
import { comesBack } from './round-trip-testing.ts'

/** An export of the whole course. */
async function anExport(t: Parameters<typeof testDatabase>[0]) {
  const folder = await aFolder(t)
  const [from, path, pictures] = [await testDatabase(t), join(folder, 'export'), join(folder, 'pictures')]
  await aWholeCourse(from, pictures)
  return { ...(await exportedFrom(from, { pictures, path })), path, folder }
}

const COURSE = { slug: 'moved' }

test('an export that is imported and exported again is the same but for its numbers', async (t) => {
  const folder = await aFolder(t)
  const from = await testDatabase(t)
  await aWholeCourse(from, join(folder, 'pictures'))
  const db = await comesBack(t, from, { slug: 'rest', pictures: join(folder, 'pictures') })
  assert.deepEqual(await rowsOf(db, 'notifications', {}), [])
  assert.deepEqual(await rowsOf(db, 'import_placings', {}), [])
})

test('the sample course comes back whole', async (t) => {
  const from = await testDatabase(t)
  const { slug } = await loadSample(from)
  await comesBack(t, from, { slug, pictures: await aFolder(t) })
})

test('a run that broke off is gone after a day', async (t) => {
  const { path, folder } = await anExport(t)
  const db = await testDatabase(t)
  await breakOff(db, path, folder)
  assert.equal(await sweepImportRuns(db), 0)
  await setRows(db, 'import_runs', {}, { started_at: new Date(Date.now() - 25 * 3_600_000) })
  assert.equal(await sweepImportRuns(db), 7)
  assert.deepEqual([await rowsOf(db, 'courses', {}), await rowsOf(db, 'questions', {})], [[], []])
})

test('nobody goes on with a run that is being undone', async (t) => {
  const { path, folder } = await anExport(t)
  const db = await testDatabase(t)
  await breakOff(db, path, folder)
  const [run] = await rowsOf(db, 'import_runs', {})
  const work = await db.transaction().execute(async (write) => {
    await sql`select from questions for update`.execute(write)
    const undo = undoRun(db, run?.id ?? 0)
    await until('it is being undone', async () => (await rowsOf(db, 'import_runs', {}))[0]?.reader != null)
    return [undo, importExchange(db, fileStore(join(folder, 'others')), { path, course: COURSE })] as const
  })
  assert.equal(await work[0], 7)
  await work[1]
  assert.deepEqual(valuesOf(await rowsOf(db, 'import_runs', {}), 'state'), ['shown'])
  const lines = (await readFile(join(path, 'questions.jsonl'), 'utf8')).trim().split('\n')
  const questions = await rowsOf(db, 'questions', {})
  assert.equal(questions.length, lines.length)
  assert.ok(questions.every(({ held_for }) => held_for !== 'import'))
})

test('a course that an export made goes with its people', async (t) => {
  const { path, folder } = await anExport(t)
  const db = await testDatabase(t)
  await importExchange(db, fileStore(join(folder, 'others')), { path, course: COURSE })
  await deleteCourse(db, (await rowOf(db, 'courses', {})).id)
  assert.deepEqual(await rowsOf(db, 'people', {}), [])
})

test('an import from one file is the same as one from a folder', async (t) => {
  const folder = await aFolder(t)
  const from = await testDatabase(t)
  await aWholeCourse(from, join(folder, 'pictures'))
  const path = join(folder, 'out.tar.zst')
  const options = { slug: 'rest', path, baseUrl: BASE_URL, isPseudonymous: true }
  await exportCourse(from, fileStore(join(folder, 'pictures')), options)
  const db = await testDatabase(t)
  const { tally } = await importExchange(db, fileStore(join(folder, 'others')), {
    path,
    course: COURSE,
    origin: 'x',
  })
  assert.equal(tally.counts.questions?.imported, 7)
  const people = (await rowsOf(db, 'people', {})).map(({ display_name }) => display_name)
  assert.ok(
    people.every((name) => /^(?:Person \d|Former member)$/.test(name)),
    people.join(),
  )
})

test('nothing of a run is seen before its last step, and a run that broke off goes on after its last batch', async (t) => {
  const { path, folder } = await anExport(t)
  const db = await testDatabase(t)
  const admin = await aPerson(db, { isAdmin: true })
  const app = await testApp(t, db)
  const browser = await signedIn(app, admin)
  await breakOff(db, path, folder)
  const held = await rowsOf(db, 'questions', {})
  assert.ok(held.length > 0 && held.every(({ held_for, is_shown }) => held_for === 'import' && !is_shown))
  const [first] = held
  // Whoever has such an account already sees nothing of it either.
  const asker = first?.author_id ?? 0
  await setRows(db, 'questions', { id: first?.id ?? 0 }, { author_id: admin.id })
  for (const page of [
    '/',
    '/courses/moved',
    '/courses/moved/moderation?view=held',
    '/moderation?view=held',
    '/admin/people',
    '/search?q=code',
    `/questions/${first?.id}`,
    '/courses/moved/desk',
    '/courses/moved/desk?view=all',
    '/questions',
    '/questions?mine=1',
  ]) {
    const { statusCode, body } = await browser.get(page)
    assert.equal(statusCode, page.startsWith('/questions/') ? 404 : 200, page)
    assert.doesNotMatch(body, /Which code says created|Mina|Only for staff/, page)
  }
  await setRows(db, 'questions', { id: first?.id ?? 0 }, { author_id: asker })
  const course = await rowOf(db, 'courses', { slug: 'moved' })
  assert.deepEqual([course.questions_count, course.is_public], [0, false])
  assert.deepEqual(await rowsOf(db, 'lectures', {}), [])

  await importExchange(db, fileStore(join(folder, 'others')), { path, course: COURSE })
  assert.equal((await rowsOf(db, 'questions', {})).length, 7)
  assert.match((await browser.get('/courses/moved')).body, /Which code says created/)
  assert.deepEqual(await recount(db), [])
})

test('a run that broke off is undone without a trace', async (t) => {
  const { path, folder } = await anExport(t)
  const db = await testDatabase(t)
  const look = await lookOf(db)
  const before = await look()
  await breakOff(db, path, folder)
  const { id } = await rowOf(db, 'import_runs', {})
  const other = importExchange(db, fileStore(folder), { path, course: COURSE, origin: 'another' })
  await assert.rejects(other, { message: new RegExp(`^run ${id} into the course "moved" is unfinished`) })
  await undoRun(db, id)
  // Pictures go with the next sweep, as those of posts that are deleted for good.
  assert.deepEqual(differing(before, await look()), ['images'])
  await assert.rejects(undoRun(db, id), { message: `there is no run ${id}` })
})

test('a second import adds only what is new, and keeps what was changed here', async (t) => {
  const { path, folder, lines } = await anExport(t)
  const db = await testDatabase(t)
  const store = fileStore(join(folder, 'others'))
  await importExchange(db, store, { path, course: COURSE })
  const [first] = lines.questions
  assert.ok(first)
  await setRows(db, 'questions', { title: first.title }, { title: 'Changed here' })
  const newer = join(folder, 'newer')
  await cp(path, newer, { recursive: true })
  await appendFile(
    join(newer, 'answers.jsonl'),
    `${JSON.stringify({ ...lines.answers[0], id: 'new', endorsement: null })}\n`,
  )
  const { tally } = await importExchange(db, store, { path: newer, course: COURSE })
  assert.deepEqual(
    Object.entries(tally.counts).flatMap(([kind, { imported }]) => (imported > 0 ? [[kind, imported]] : [])),
    [['answers', 1]],
  )
  const question = await rowOf(db, 'questions', { title: 'Changed here' })
  assert.equal(question.answers_count, 2)
  assert.equal((await rowsOf(db, 'announcements', {})).length, 1)
  assert.deepEqual(await recount(db), [])
})

test('no import opens a course to agents further than one that is made here', async (t) => {
  const { path, folder } = await anExport(t)
  const course = JSON.parse(await readFile(join(path, 'course.json'), 'utf8'))
  await writeFile(join(path, 'course.json'), JSON.stringify({ ...course, agents: 'readers', accent: 'neon' }))
  const db = await testDatabase(t)
  await importExchange(db, fileStore(folder), { path, course: COURSE })
  const made = await rowOf(db, 'courses', {})
  assert.deepEqual([made.agents, made.accent, made.hold], [null, 'green', 'newcomers'])
})

test('an export that is refused leaves nothing', async (t) => {
  const { path, folder } = await anExport(t)
  await appendFile(join(path, 'replies.jsonl'), '{"id":"1"}\n')
  const db = await testDatabase(t)
  const message = /^replies\.jsonl, line 3: author: /
  await assert.rejects(importExchange(db, fileStore(folder), { path, course: COURSE }), { message })
  assert.deepEqual(await rowsOf(db, 'courses', {}), [])
})

test('a dry run tells what would come and who would see it, and counts members that aren’t known', async (t) => {
  const { path } = await anExport(t)
  await writeFile(join(path, 'lectures.jsonl'), '{"id":"1","position":1,"title":"One","room":"12"}\n')
  const tally = await tryExchange(path)
  assert.equal(tally.counts.questions?.imported, 7)
  assert.deepEqual(Object.fromEntries(tally.notes), {
    'posts that everyone in the course can read': 9,
    'questions for their asker and staff alone': 1,
    'posts that wait for review': 1,
    'posts that stay hidden': 1,
    'posts whose authors staff alone know': 4,
    'posts of people whom no one knows': 1,
    'posts of accounts that are gone': 1,
    'lectures.jsonl: "room": a member that is not known, left out': 1,
  })
})

/** A run whose store of pictures goes away after the questions, in the batch of the answers. */
async function breakOff(db: Database, path: string, folder: string): Promise<void> {
  const [line] = (await readFile(join(path, 'answers.jsonl'), 'utf8')).split('\n')
  const [file] = (await readFile(join(path, 'files.jsonl'), 'utf8')).split('\n')
  const answer = JSON.parse(line ?? '')
  const { path: blob } = JSON.parse(file ?? '')
  await appendFile(
    join(path, 'files.jsonl'),
    `${JSON.stringify({ id: 'other', kept: 'blob', path: blob })}\n`,
  )
  await appendFile(
    join(path, 'answers.jsonl'),
    `${JSON.stringify({ ...answer, id: 'broken', body: '![](exchange:file/other)', endorsement: null })}\n`,
  )
  const store = fileStore(join(folder, 'others'))
  let puts = 0
  const failing: PictureStore = {
    ...store,
    put: async (name, content) => {
      puts += 1
      if (puts > 2) throw new Error('the store is away')
      await store.put(name, content)
    },
  }
  await assert.rejects(importExchange(db, failing, { path, course: COURSE }), {
    message: 'the store is away',
  })
}

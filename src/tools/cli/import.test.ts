import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileStore } from '../../forum/pictures/store.ts'
import { castVote } from '../../forum/posts/vote.ts'
import { exportCourse } from '../../operating/exchange/course-export.ts'
import { aFolder } from '../../operating/exchange/course-testing.ts'
import { loadSample } from '../../operating/sample/sample.ts'
import { aPerson } from '../../testing/builders.ts'
import { testDatabase, testDatabaseWithUrl } from '../../testing/database.ts'
import { aDump, aDumpAnswer, aDumpQuestion } from '../../testing/dumps.ts'
import { rowOf, rowsOf, valuesOf } from '../../testing/rows.ts'
import { slugOf } from '../../text/slug.ts'
import { handupHere } from './testing.ts'

test('an import shows how far it is in plain lines and ends with a table', async (t) => {
  const { db, handup } = await aForum(t)
  const folder = await aDump(t, { posts: [aDumpQuestion(), aDumpAnswer()] })
  const course = ['--course', 'physics', '--title', 'Physics 1']
  const { code, output } = await handup('import', 'stackexchange', folder, ...course)
  assert.equal(code, 0, output)
  assert.match(output, /^Importing: 100%$/m)
  assert.match(output, /^ +read +imported +skipped +why$/m)
  assert.match(output, /^questions +1 +1 +0$/m)
  assert.match(output, /^imported into the course "physics" in \d+\.\d s$/m)
  assert.ok(!output.includes('\u001b'))
  const made = await db.selectFrom('courses').select(['slug', 'title']).executeTakeFirstOrThrow()
  assert.deepEqual(made, { slug: 'physics', title: 'Physics 1' })
  // Its instructors see it in the course's settings, and take it back there.
  const noted = await rowOf(db, 'course_imports', {})
  const run = await rowOf(db, 'import_runs', {})
  assert.deepEqual(
    [noted.course_id, noted.run_id, noted.state, noted.source, noted.file_name],
    [run.course_id, run.id, 'shown', 'stackexchange', basename(folder)],
  )
})

test('without --course an import makes one that is named after the folder', async (t) => {
  const { db, handup } = await aForum(t)
  const folder = await aDump(t, { posts: [aDumpQuestion()] })
  const { code, output } = await handup('import', 'stackexchange', folder)
  assert.equal(code, 0, output)
  const course = await db.selectFrom('courses').select('slug').executeTakeFirstOrThrow()
  assert.equal(course.slug, slugOf(basename(folder), ''))
})

test('a broken dump gives one line and the exit code 1', async (t) => {
  const { db, handup } = await aForum(t)
  const folder = await aDump(t, { files: { 'Posts.xml': '<posts><row Id="1"' } })
  const { code, output } = await handup('import', 'stackexchange', folder, '--course', 'physics')
  assert.equal(code, 1)
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('Importing: '))
  assert.deepEqual(lines, ['handup: Posts.xml, line 1: it is cut off (unclosed tag: posts)'])
  assert.deepEqual(await db.selectFrom('courses').select('id').execute(), [])
})

test('a course that can’t be part of an address is refused with one that can', async (t) => {
  const { handup } = await aForum(t)
  const { code, output } = await handup('import', 'stackexchange', await aDump(t), '--course', 'My Course')
  assert.deepEqual(
    [code, output],
    [1, 'handup: --course "My Course" can’t be part of an address: try --course my-course\n'],
  )
})

test('an export is tried, imported and undone, but for what people here have added to', async (t) => {
  const { db, handup } = await aForum(t)
  const folder = await aFolder(t)
  const from = await testDatabase(t)
  await loadSample(from)
  const path = join(folder, 'out')
  const options = { path, baseUrl: 'https://forum.example', isPseudonymous: false }
  await exportCourse(from, fileStore(folder), { ...options, slug: (await rowOf(from, 'courses', {})).slug })
  const tried = await handup('import', 'handup', path, '--course', 'moved', '--dry-run')
  assert.match(tried.output, /^questions +\d+ +\d+ +0$/m)
  assert.match(tried.output, /^nothing was imported$/m)
  assert.deepEqual(await rowsOf(db, 'courses', {}), [])
  const { code, output } = await handup('import', 'handup', path, '--course', 'moved')
  assert.equal(code, 0, output)
  assert.match(output, /^Indexing: 100%$/m)
  assert.match(output, /^imported into the course "moved" in \d+\.\d s$/m)
  const { id } = await rowOf(db, 'import_runs', {})
  const redirects = (await handup('import', '--redirects', String(id))).output.split('\r\n')
  assert.equal(redirects[0], 'from,to,kind')
  assert.match(redirects[1] ?? '', /^\d+,http:\/\/\S+\/questions\/\d+\/\S+,question$/)
  const question = await rowOf(db, 'questions', { id: (await rowsOf(db, 'questions', {}))[0]?.id ?? 0 })
  await castVote(db, { kind: 'question', id: question.id }, (await aPerson(db)).id, true)
  const kept = await handup('import', '--undo', String(id))
  assert.equal(kept.code, 0, kept.output)
  assert.match(kept.output, /^1 posts that people here have added to:\n {2}#\d+ .+: votes\nstay$/m)
  assert.match(kept.output, /^undid run \d+$/m)
  assert.deepEqual(valuesOf(await rowsOf(db, 'questions', {}), 'id'), [question.id])
  assert.match((await handup('import', '--undo', String(id))).output, /was undone already/)
  assert.match((await handup('import', 'handup', folder, '--course', 'moved')).output, /has no course\.json/)
})

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  const handup = (...args: string[]) => handupHere({ DATABASE_URL: url, DATA_DIR: tmpdir() }, ...args)
  return { db, handup }
}

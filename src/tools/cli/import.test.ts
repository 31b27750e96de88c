import assert from 'node:assert/strict'
import { basename } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testDatabaseWithUrl } from '../../testing/database.ts'
import { aDump, aDumpAnswer, aDumpQuestion } from '../../testing/dumps.ts'
import { slugOf } from '../../text/slug.ts'
import { handupHere } from './testing.ts'

test('an import shows how far it is in plain lines and ends with a table', async (t) => {
  const { db, handup } = await aForum(t)
  const folder = await aDump(t, { posts: [aDumpQuestion(), aDumpAnswer()] })
  const { code, output } = await handup(
    'import',
    'stackexchange',
    folder,
    '--course',
    'physics',
    '--title',
    'Physics 1',
  )
  assert.equal(code, 0, output)
  assert.match(output, /^Importing: 100%$/m)
  assert.match(output, /^ +read +imported +skipped +why$/m)
  assert.match(output, /^questions +1 +1 +0$/m)
  assert.match(output, /^imported into the course "physics" in \d+\.\d s$/m)
  assert.ok(!output.includes('\u001b'))
  const course = await db.selectFrom('courses').select(['slug', 'title']).executeTakeFirstOrThrow()
  assert.deepEqual(course, { slug: 'physics', title: 'Physics 1' })
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

async function aForum(t: TestContext) {
  const { db, url } = await testDatabaseWithUrl(t)
  const handup = (...args: string[]) => handupHere({ DATABASE_URL: url }, ...args)
  return { db, handup }
}

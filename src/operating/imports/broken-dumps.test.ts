import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../database/schema.ts'
import { differing, lookOf } from '../../testing/changes.ts'
import { testDatabase } from '../../testing/database.ts'
import {
  aDump,
  aDumpAnswer,
  aDumpQuestion,
  type DumpOptions,
  importStackExchange,
} from '../../testing/dumps.ts'
import { addRow, rowOf, rowsOf, setRows } from '../../testing/rows.ts'
import { DumpError } from './dump.ts'
import { trySource } from './foreign-import.ts'
import { STACKEXCHANGE } from './stackexchange.ts'

const CUT_OFF = '<?xml version="1.0"?>\n<comments>\n<row Id="1" PostId="1" Te'
const WHOLE: DumpOptions = {
  posts: [aDumpQuestion(), aDumpAnswer()],
  comments: [{ Id: 1, PostId: 1, Text: 'Why?' }],
}

const BROKEN: readonly [what: string, options: DumpOptions, message: RegExp][] = [
  ...['Users.xml', 'Posts.xml', 'Comments.xml'].map((name): (typeof BROKEN)[number] => [
    `without ${name}`,
    { files: { [name]: null } },
    new RegExp(`has no ${name}, which every dump has$`),
  ]),
  [
    'whose Comments.xml is cut off',
    { files: { 'Comments.xml': CUT_OFF } },
    /^Comments\.xml, line 3: it is cut off/,
  ],
  [
    'whose PostHistory.xml is no XML',
    { files: { 'PostHistory.xml': '7z' } },
    /^PostHistory\.xml, line 1: it is not well-formed/,
  ],
  [
    'with an answer to nothing',
    { posts: [{ ...aDumpAnswer(), ParentId: '' }] },
    /^Posts\.xml, line 3: the row has no ParentId$/,
  ],
  [
    'with a time that is none',
    { posts: [aDumpQuestion({ CreationDate: 'now' })] },
    /CreationDate="now", which is not a time$/,
  ],
  ...[
    '2015-02-29T10:00:00.000',
    '2015-02-28T24:00:00.000',
    '2015-13-01T10:00:00.000',
    '0000-01-01T00:00:00.000',
    '9999-12-31T23:59:59.999',
  ].map((time): (typeof BROKEN)[number] => [
    `with the time ${time}, which there is not`,
    { posts: [aDumpQuestion({ CreationDate: time })] },
    /^Posts\.xml, line 3: the row has CreationDate="[^"]+", which is not a time$/,
  ]),
  ['with a user without a name', { users: [{ Id: 1 }] }, /^Users\.xml, line 3: the row has no DisplayName$/],
]

for (const [what, options, message] of BROKEN)
  test(`a dump ${what} gives one clear line`, async (t) => {
    const path = await aDump(t, { ...WHOLE, ...options })
    const course = { slug: 'physics', title: 'Physics' }
    await assert.rejects(trySource({ path, source: STACKEXCHANGE, course }), (error) => {
      assert.ok(error instanceof DumpError)
      assert.match(error.message, message)
      return true
    })
  })

test('a dump that is refused leaves the database as it was, however far it was read', async (t) => {
  const db = await testDatabase(t)
  await importInto(t, db, 'before', WHOLE)
  const look = await lookOf(db)
  const before = await look()
  for (const files of [{ 'Users.xml': null }, { 'Comments.xml': CUT_OFF }, { 'PostHistory.xml': '7z' }])
    await assert.rejects(importInto(t, db, 'physics', { ...WHOLE, files }), DumpError)
  assert.deepEqual(differing(before, await look()), [])
})

test('a folder that is not there is told', async (t) => {
  const db = await testDatabase(t)
  const course = { slug: 'physics', title: 'Physics' }
  await assert.rejects(importStackExchange(db, { folder: '/nowhere', course }), {
    message: '/nowhere is not there',
  })
})

test('of two imports into one course the second waits until the first has ended', async (t) => {
  const db = await testDatabase(t)
  await importInto(t, db, 'physics', WHOLE)
  const { course_id, source, origin } = await rowOf(db, 'import_runs', {})
  const reading = { course_id, source, origin, reader: randomUUID(), digest: Buffer.alloc(32) }
  await addRow(db, 'import_runs', { ...reading, reader_until: new Date(Date.now() + 60_000) })
  const posts = [...(WHOLE.posts ?? []), aDumpQuestion({ Id: 9 })]
  const waiting = (change: object) =>
    importInto(t, db, 'physics', { ...WHOLE, posts }, async () => {
      assert.equal((await rowsOf(db, 'questions', {})).length, 1)
      await setRows(db, 'import_runs', { state: 'reading' }, change)
    })
  // A process that died is waited for as long as its lease.
  await assert.rejects(waiting({ reader_until: new Date(0) }), /is unfinished: import the same export again/)
  await setRows(db, 'import_runs', { state: 'reading' }, { reader_until: new Date(Date.now() + 60_000) })
  await waiting({ state: 'shown', ended_at: new Date(), reader: null, reader_until: null })
  assert.equal((await rowsOf(db, 'questions', {})).length, 2)
})

async function importInto(
  t: TestContext,
  db: Database,
  slug: string,
  options: DumpOptions,
  wait: () => Promise<void> = () => assert.fail('nothing to wait for'),
) {
  return importStackExchange(db, {
    folder: await aDump(t, options),
    course: { slug, title: 'Physics' },
    origin: 'x',
    onProgress: { begin: () => {}, advance: () => {}, wait },
  })
}

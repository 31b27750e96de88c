import assert from 'node:assert/strict'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { fileStore } from '../../forum/pictures/store.ts'
import { testDatabase } from '../../testing/database.ts'
import { columnsOf, rowsOf } from '../../testing/rows.ts'
import { importExchange, tryExchange } from './course-import.ts'
import { aFolder } from './course-testing.ts'
import { ExchangeError } from './exchange-error.ts'
import { withExchange } from './folder-reader.ts'
import { aSmallExport, type SmallExport } from './small-export-testing.ts'

const HALF = '\ud83d'
const HUGE = 9_007_199_254_740_991
const ASKED = { id: '1' }
const VERSION = {
  ...{ post: { kind: 'question' as const, id: '1' }, version: 1, title: `a\0${HALF}`, body: `\0${HALF}` },
  ...{
    author: { person: 'mara' },
    written_at: '2020-01-01T00:00:00Z',
    tags: [`\0${HALF}`],
    reason: `\0${HALF}`,
  },
}

const REFUSED: readonly [line: RegExp, SmallExport][] = [
  [/^questions.jsonl, line 1: id: /, { questions: [{ id: 'a\0b' }] }],
  [/^questions.jsonl, line 1: id: /, { questions: [{ id: HALF }] }],
  [/^questions.jsonl, line 1: id: /, { questions: [{ id: 'x'.repeat(10_000) }] }],
  [/^questions.jsonl, line 1: category: /, { questions: [{ ...ASKED, category: 'c\0' }] }],
  [/^questions.jsonl, line 1: addresses.1: /, { questions: [{ ...ASKED, addresses: ['a', '\n'] }] }],
  [
    /^questions.jsonl, line 1: written_at: /,
    { questions: [{ ...ASKED, written_at: '0000-01-01T00:00:00Z' }] },
  ],
  [
    /^questions.jsonl, line 1: written_at: /,
    { questions: [{ ...ASKED, written_at: '2020-01-01T00:00:00+23:59' }] },
  ],
  [/^questions.jsonl, line 1: active_at: /, { questions: [{ ...ASKED, active_at: '9999-12-31T00:00:00Z' }] }],
  [/^questions.jsonl, line 1: version: /, { questions: [{ ...ASKED, version: HUGE }] }],
  [/^questions.jsonl, line 1: votes: /, { questions: [{ ...ASKED, votes: 2_147_483_647 }] }],
  [/^questions.jsonl, line 1: views: /, { questions: [{ ...ASKED, views: 2_147_483_647 }] }],
  [/number: /, { questions: [{ ...ASKED, author: { anonymous: 'everyone', number: HUGE } }] }],
  [/^lectures.jsonl, line 1: position: /, { lectures: [{ id: 'l', position: 2_147_483_647 }] }],
  [/^categories.jsonl, line 1: position: /, { categories: [{ id: 'c', position: HUGE }] }],
  [/^announcements.jsonl, line 1: version: /, { announcements: [{ id: 'n', version: HUGE }] }],
  [/^versions.jsonl, line 1: version: /, { versions: [{ ...VERSION, version: HUGE }] }],
  [/^files.jsonl, line 1: id: /, { files: [{ id: 'f\0', kept: 'missing' }] }],
  [
    /^people.jsonl, line 1: joined_at: /,
    { people: [{ id: 'p', name: 'x', joined_at: '0000-01-01T00:00:00Z' }] },
  ],
  [/^people.jsonl, line 1: id: /, { people: [{ id: '~nobody staff', name: 'Eve' }] }],
  [/^course.json: source.origin: /, { origin: 'x'.repeat(501) }],
  [/^course.json: source.origin: /, { origin: 'a\0' }],
]

test('what no database keeps is refused with its line, before anything is written', async (t) => {
  for (const [line, lines] of REFUSED)
    await assert.rejects(tryExchange(await aSmallExport(t, lines)), (error) => {
      assert.ok(error instanceof ExchangeError, String(error))
      assert.match(error.message, line)
      return true
    })
})

const ASKED_BY_NOBODY = { ...ASKED, title: 'x', body: 'x', written_at: '2026-01-01T00:00:00Z' }
const BROKEN: readonly [line: RegExp, file: string, content: string | object][] = [
  [/^answers\.jsonl, line 1: it is not JSON$/, 'answers', '{"id":'],
  [/^people\.jsonl, line 2: joined_at: /, 'people', { id: 'x', name: 'X', joined_at: 'now' }],
  [/^files\.jsonl, line 1: path: /, 'files', { id: 'x', kept: 'blob', path: 'files/../../x' }],
  [
    /^questions\.jsonl, line 1: author: /,
    'questions',
    { ...ASKED_BY_NOBODY, author: { person: '1', anonymous: 'nobody' } },
  ],
]

test('a line that the format does not have is refused with file, line and reason', async (t) => {
  for (const [message, file, content] of BROKEN) {
    const path = await aSmallExport(t, {})
    const line = typeof content === 'string' ? content : JSON.stringify(content)
    await appendFile(join(path, `${file}.jsonl`), `${line}\n`)
    await assert.rejects(tryExchange(path), { message })
  }
})

test('texts of any characters come in, and what members of objects are called is only a name', async (t) => {
  const db = await testDatabase(t)
  const text = `a\0 long ${HALF} text`
  const path = await aSmallExport(t, {
    people: [{ id: '__proto__', name: text, email: `a\0${HALF}@example.org` }, { id: 'mara' }],
    categories: [{ id: 'constructor', slug: `\0${HALF}`, name: text }],
    tags: [{ name: text, description: text, aliases: ['\0', HALF] }],
    files: [{ id: 'f', kept: 'missing', alt: text }],
    questions: [1, 2, 3].map((n) => ({
      ...{ id: `${n}`, title: text, body: `${text} ![x](exchange:file/f)`, tags: [text], edit_reason: text },
      ...{
        author: { person: '__proto__' },
        category: 'constructor',
        votes: 1_000_000_000,
        views: 1_000_000_000,
      },
    })),
    answers: [{ id: 'toString', author: { former: text }, body: text }],
    replies: [{ id: '__proto__', author: { person: 'constructor' } }],
    versions: [VERSION],
    announcements: [{ id: 'n', title: text, body: text, corrects: 'n' }],
    faq: [{ id: 'f', position: HUGE, title: text, body: text }],
  })
  await tryExchange(path)
  await importExchange(db, fileStore(join(await aFolder(t), 'pictures')), { path, course: { slug: 'moved' } })
  const questions = await rowsOf(db, 'questions', {})
  assert.deepEqual(
    columnsOf(questions, 'title', 'votes_count'),
    Array(3).fill(['a long \ufffd text', 1_000_000_000]),
  )
  assert.equal((await rowsOf(db, 'replies', {})).length, 1)
})

const file = (name: string, body: string | Uint8Array = ''): TarEntry => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { header: { name, size: bytes.length, type: 'file' }, body: bytes }
}
const course = file(
  'course.json',
  JSON.stringify({
    format: 'handup-exchange',
    version: 1,
    source: { name: 'handup' },
    slug: 'x',
    title: 'X',
  }),
)

const ARCHIVES: readonly [what: string, entries: TarEntry[], reason: RegExp][] = [
  [
    'a file that climbs out',
    [course, file('../out.jsonl')],
    /a name that leads out of it: "\.\.\/out\.jsonl"$/,
  ],
  ['an absolute path', [course, file('/tmp/out.jsonl')], /a name that leads out of it/],
  ['a file of nobody', [course, file('notes.txt/x')], /a file that no export has: "notes\.txt\/x"$/],
  [
    'a symbolic link',
    [course, { header: { name: 'people.jsonl', size: 0, type: 'symlink', linkname: '/etc/passwd' } }],
    /a symlink, "people\.jsonl", where it may have files alone$/,
  ],
  ['one file twice', [course, file('people.jsonl'), file('people.jsonl')], /EEXIST/],
  [
    'far more than its size',
    [course, file('files/a.png', Buffer.alloc(250 * 1024 * 1024))],
    /more than 200 times its size$/,
  ],
]

for (const [what, entries, reason] of ARCHIVES) {
  test(`an archive with ${what} is refused`, async (t) => {
    const path = join(await aFolder(t), 'out.tar.zst')
    await writeFile(path, zstdCompressSync(await packTar(entries)))
    await assert.rejects(
      withExchange(path, async () => 0),
      { message: reason },
    )
  })
}

test('a file that is no archive, or is cut off, is refused', async (t) => {
  const folder = await aFolder(t)
  const whole = zstdCompressSync(
    await packTar([course, file('people.jsonl', '{"id":"1","name":"X"}\n'.repeat(100))]),
  )
  for (const content of [Buffer.from('PK no archive'), whole.subarray(0, whole.length - 20)]) {
    const path = join(folder, `${content.length}.tar.zst`)
    await writeFile(path, content)
    await assert.rejects(
      withExchange(path, async () => 0),
      { message: /can’t be read: / },
    )
  }
})

test('lines that are not UTF-8 are refused with file and line', async (t) => {
  const path = join(await aFolder(t), 'out.tar.zst')
  const lines = Buffer.concat([Buffer.from('{"id":"1","name":"X"}\n{"id":"2","name":"'), Buffer.from([0xff])])
  await writeFile(path, zstdCompressSync(await packTar([course, file('people.jsonl', lines)])))
  await assert.rejects(
    withExchange(path, async () => 0),
    { message: /^people\.jsonl, line \d: it is not UTF-8$/ },
  )
})

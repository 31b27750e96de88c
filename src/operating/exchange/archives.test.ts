import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { aFolder } from './course-testing.ts'
import { withExchange } from './folder-reader.ts'

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

const REFUSED: readonly [what: string, entries: TarEntry[], reason: RegExp][] = [
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

for (const [what, entries, reason] of REFUSED) {
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

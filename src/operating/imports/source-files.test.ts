import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { aZip, type ZipEntry } from '../../testing/zips.ts'
import { aFolder } from '../exchange/course-testing.ts'
import { type SourceFiles, textOf, withSourceFiles } from './source-files.ts'

const REFUSED: readonly [what: string, entries: readonly ZipEntry[], reason: RegExp][] = [
  [
    'a name that climbs out',
    [{ name: '../a.json', content: '' }],
    /a name that leads out of it: "\.\.\/a\.json"$/,
  ],
  ['one with backslashes', [{ name: '..\\a.json', content: '' }], /a name that leads out of it/],
  ['an absolute name', [{ name: '/etc/passwd', content: '' }], /a name that leads out of it/],
  ['a symbolic link', [{ name: 'a', content: '/etc/passwd', mode: 0o120777 }], /a link or device, "a"/],
  ['a device', [{ name: 'a', content: '', mode: 0o020666 }], /a link or device, "a"/],
  [
    '3 GB in an entry',
    [{ name: 'a', content: '', says: 3 * 1024 ** 3 }],
    /more than 200 times its size$|more than 2 GB/,
  ],
  ['less in an entry than there is', [{ name: 'a', content: 'abc', says: 1 }], /can’t be read/],
  [
    'more than 200 times its size',
    [{ name: 'a', content: Buffer.alloc(201 * 1024 * 1024) }],
    /more than 200 times its size$/,
  ],
  [
    'a file twice',
    [
      { name: 'a', content: '' },
      { name: 'a', content: '' },
    ],
    /EEXIST: file already exists$/,
  ],
]

for (const [what, entries, reason] of REFUSED)
  test(`a zip with ${what} is refused`, async (t) => {
    const path = join(await aFolder(t), 'export.zip')
    await writeFile(path, aZip(entries))
    await assert.rejects(withSourceFiles(path, contentsOf), { message: reason })
  })

test('archives are told by their content, and files in them by what of their names is certain', async (t) => {
  const folder = await aFolder(t)
  const [zip, tar] = [join(folder, 'old.bin'), join(folder, 'Course 7.tar.gz')]
  const korean = Buffer.from([0xb0, 0xad, 0xc1, 0xc2, 0x2f, 0x61, 0x2e, 0x6a, 0x73, 0x6f, 0x6e])
  await writeFile(
    zip,
    aZip([
      { name: korean, content: 'CP949' },
      { name: '질문.json', content: '1' },
    ]),
  )
  const entry = { header: { name: './a/b.json', size: 1, type: 'file' as const }, body: Buffer.from('2') }
  await writeFile(tar, gzipSync(await packTar([entry])))
  const read = await withSourceFiles(zip, contentsOf)
  assert.deepEqual(
    read.map(([name, text]) => [name?.replace(/^.*(?=\/)/, '…'), text]),
    [
      ['…/a.json', 'CP949'],
      ['질문.json', '1'],
    ],
  )
  assert.deepEqual(await withSourceFiles(tar, contentsOf), [['a/b.json', '2']])
  assert.equal(await withSourceFiles(tar, async ({ title }) => title), 'Course 7')
})

test('a folder is read with what is below it, links not followed', async (t) => {
  const folder = await aFolder(t)
  await mkdir(join(folder, 'in'))
  await writeFile(join(folder, 'in', 'a.json'), 'x')
  await symlink('/etc/passwd', join(folder, 'link.json'))
  assert.deepEqual(await withSourceFiles(folder, contentsOf), [['in/a.json', 'x']])
})

test('text is read in UTF-8 and UTF-16, and no other encoding', async (t) => {
  const path = join(await aFolder(t), 'a.csv')
  const read = () => withSourceFiles(path, contentsOf)
  const utf16 = Buffer.from('\uFEFFid,한글', 'utf16le')
  await writeFile(path, utf16)
  assert.deepEqual(await read(), [['a.csv', 'id,한글']])
  await writeFile(path, Buffer.from([0x69, 0x64, 0xb0, 0xad]))
  await assert.rejects(read(), {
    message: 'a.csv isn’t UTF-8 or UTF-16 text. Save it as UTF-8 and try again',
  })
})

async function contentsOf({ all }: SourceFiles): Promise<string[][]> {
  const found: string[][] = []
  for (const file of all) {
    const text: string[] = []
    for await (const part of textOf(file)) text.push(part)
    found.push([file.name, text.join('')])
  }
  return found
}

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { LectureFileError, readLectures } from './lecture-file.ts'

const folder = await mkdtemp(join(tmpdir(), 'handup-lectures-'))
after(() => rm(folder, { recursive: true, force: true }))

const GOOD: readonly [what: string, content: string, lectures: string[]][] = [
  ['positions and titles', '1,Hello\n3,REST\n', ['1 Hello', '3 REST']],
  ['titles alone, numbered in their order', 'Hello\nREST', ['1 Hello', '2 REST']],
  ['columns that are named', 'position,title\n2,Hello\n', ['2 Hello']],
  ['columns named the other way round', 'Title, Position\nHello, 2\n', ['2 Hello']],
  ['a title column alone', 'title\nHello\n', ['1 Hello']],
  [
    'a byte order mark, CRLF and empty lines',
    '\uFEFF1,"Hi, you"\r\n\r\n,\r\n2,안녕\r\n',
    ['1 Hi, you', '2 안녕'],
  ],
  ['the header number,title, which the page suggests', 'number,title\n1,Welcome\n', ['1 Welcome']],
  ['a header in Korean, in another order, with a column more', '수업;번호;날짜\n안녕;2;월\n', ['2 안녕']],
  ['# for the number and lecture for the title, with tabs', '"Lecture"\t#\nHi, you\t3.\n', ['3 Hi, you']],
  ['quoted quotes and blanks around', ' 1 , "The ""one"""\n', ['1 The "one"']],
]

for (const [what, content, lectures] of GOOD) {
  test(`a file may have ${what}`, async () => {
    const read = await readLectures(await aFile(content))
    const found = read.map(({ position, title }) => `${position} ${title}`)
    assert.deepEqual(found, lectures)
  })
}

const BAD: readonly [what: string, content: string | Buffer, message: RegExp][] = [
  ['nothing in it', '', /at least one lecture/],
  ['a head and nothing more', 'position,title\n', /at least one lecture/],
  ['a comma in a title without quotes', 'Hello\nOne, two\n', /line 2 has 2 columns instead of one \(title\)/],
  ['a line without a title', '1,Hello\n2\n', /line 2 has one column instead of two/],
  ['an empty title', '1,Hello\n\n2,\n', /line 3: the title is missing/],
  ['a position that is no number', '1,Hello\ntwo,REST\n', /line 2: "two" isn’t a number/],
  ['a position below one', '0,Hello\n', /line 1: "0" isn’t a number/],
  ['a position too large for the database', '99999999999,Hello\n', /line 1: "99999999999" isn’t a number/],
  ['a position twice', '1,Hello\n1,REST\n', /line 2: number 1 is already on line 1/],
  ['several faults', '1,\nx,REST\n1,Hello\n1,Again', /line 1: .* missing; line 2: "x".*; line 4: number 1/],
  ['a title too long', `1,${'x'.repeat(151)}\n`, /line 1: the title has 151 characters/],
  ['a control character', '1,He\u0007llo\n', /line 1: the title contains control characters/],
  ['a quote that is not closed', '1,"Hello\n', /quote/i],
  [
    'another encoding',
    Buffer.from([0x31, 0x2c, 0xbe, 0xc8, 0xb3, 0xe7]),
    /isn’t UTF-8 or UTF-16. In a spreadsheet, save it as "CSV UTF-8"/,
  ],
]

for (const [what, content, message] of BAD) {
  test(`a file with ${what} gives one line that says where`, async () => {
    await assert.rejects(readLectures(await aFile(content)), (error: unknown) => {
      assert.ok(error instanceof LectureFileError)
      assert.match(error.message, message)
      return error.message.includes('.csv: ') && !error.message.includes('\n')
    })
  })
}

test('a file that is not there gives one line that names it', async () => {
  await assert.rejects(readLectures(join(folder, 'none.csv')), /none\.csv/)
})

let made = 0

async function aFile(content: string | Buffer): Promise<string> {
  made += 1
  const path = join(folder, `${made}.csv`)
  await writeFile(path, content)
  return path
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DumpRow, dumpRows } from './dump.ts'

const HEAD = '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'

test('rows come with their attributes, references decoded, from a file that begins with a byte order mark', async () => {
  const row = '<row Id="1" Body="&lt;p&gt;a &amp;amp; b&#xA;&#128512;" />'
  const rows = await read(`\uFEFF${HEAD}${row}\n<row Id="-1" />\n</posts>`)
  assert.deepEqual(
    rows.map((row) => [row.id('Id'), row.text('Body')]),
    [
      [1, '<p>a &amp; b\n😀'],
      [-1, null],
    ],
  )
})

test('a row that is cut by the pieces in which the file is read comes whole', async () => {
  const body = '한글 '.repeat(100_000)
  const [row] = await read(`${HEAD}<row Id="1" Body="${body}" /></posts>`)
  assert.equal(row?.text('Body'), body)
})

test('times are read as UTC', async () => {
  const [row] = await read(`${HEAD}<row CreationDate="2018-03-12T17:00:45.567" /></posts>`)
  assert.equal(row?.time('CreationDate').toISOString(), '2018-03-12T17:00:45.567Z')
})

const BROKEN: readonly [what: string, text: string | Buffer, line: number, message: string][] = [
  ['that is empty', '', 1, 'it is cut off'],
  ['that is cut off in a row', `${HEAD}<row Id="1" /><row Id="2" Bo`, 3, 'it is cut off'],
  ['whose root element is not closed', `${HEAD}<row Id="1" />\n`, 4, 'it is cut off'],
  ['that is no XML', 'PK\u0003\u0004 not XML at all', 1, 'it is not well-formed XML'],
  ['with a tag closed twice', `${HEAD}<row Id="1" /></row></posts>`, 3, 'it is not well-formed XML'],
  ['with an attribute given twice', `${HEAD}\n<row Id="1" Id="2" /></posts>`, 4, 'it is not well-formed XML'],
  ['of another kind', '<users></users>', 1, 'it begins with <users> where a dump has <posts>'],
  ['with other elements', `${HEAD}<post/></posts>`, 3, 'it has a <post> where a dump has only rows'],
  ['with a DOCTYPE', '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><posts/>', 1, 'it has a DOCTYPE'],
  ['with a reference of its own', `${HEAD}<row Body="&e;" /></posts>`, 3, 'it is not well-formed XML'],
  ['that is not UTF-8', Buffer.from([...Buffer.from(HEAD), 0xff, 0xfe]), 1, 'it is not UTF-8'],
]

for (const [what, text, line, message] of BROKEN) {
  test(`a file ${what} gives one line naming file and line`, async () => {
    const error: unknown = await read(text).catch((refused: unknown) => refused)
    const told = error instanceof Error ? error.message : 'nothing'
    assert.ok(told.startsWith(`Posts.xml, line ${line}: ${message}`), told)
    assert.doesNotMatch(told, /\n/)
  })
}

test('a row without end is refused long before it fills the memory', async () => {
  const endless = Buffer.concat([Buffer.from(`${HEAD}<row Body="`), Buffer.alloc(17 * 1024 * 1024, 'a')])
  await assert.rejects(read(endless), /Posts\.xml, line 3: a row is longer than 16 MB/)
})

test('a number, a time or a name that is not one is told with its line', async () => {
  const attributes = 'Id="1e9" Score="9999999999" CreationDate="yesterday\u2028"'
  const [row] = await read(`${HEAD}\n<row ${attributes} /></posts>`)
  const where = 'Posts.xml, line 4: the row has'
  assert.throws(() => row?.id('Id'), { message: `${where} Id="1e9", which is not a number` })
  assert.throws(() => row?.count('Score'), { message: `${where} Score="9999999999", which is too large` })
  assert.throws(() => row?.time('CreationDate'), /^Error: Posts\.xml, line 4: the row has CreationDate="yest/)
  assert.throws(() => row?.requiredText('Title'), { message: `${where} no Title` })
})

/** As it comes from a disk, in pieces. */
async function read(text: string | Buffer): Promise<DumpRow[]> {
  const file = {
    name: 'Posts.xml',
    bytes: () => piecesOf(typeof text === 'string' ? Buffer.from(text) : text),
  }
  const rows: DumpRow[] = []
  for await (const row of dumpRows(file, 'posts')) rows.push(row)
  return rows
}

async function* piecesOf(content: Buffer) {
  const size = 64 * 1024
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
}

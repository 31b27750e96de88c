import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../testing/database.ts'
import { aDumpAnswer, aDumpQuestion, importDump } from '../../testing/dumps.ts'
import { rowsOf, valuesOf } from '../../testing/rows.ts'
import { type DumpRow, dumpRows } from './dump.ts'
import { hostsOf, ownPost } from './dump-links.ts'
import { withLinks } from './foreign-markdown.ts'

test('the hosts of a site are told by its folder', () => {
  assert.deepEqual(hostsOf('quantumcomputing'), ['quantumcomputing.stackexchange.com'])
  assert.deepEqual(hostsOf('bicycles-meta'), [
    'bicycles.meta.stackexchange.com',
    'meta.bicycles.stackexchange.com',
  ])
  assert.deepEqual(hostsOf('stackoverflow'), ['stackoverflow.com'])
  assert.deepEqual(hostsOf('forum.example.org'), ['forum.example.org'])
  assert.deepEqual(hostsOf('My folder'), [])
})

const LINKS: readonly [what: string, markdown: string, linked: string][] = [
  ['a link to a question', '[a](https://e.org/questions/1/slug)', '[a](exchange:question/1)'],
  [
    'a link to an answer',
    '[a](http://e.org/a/2/7 "t") [b](https://e.org/questions/1/s/2#2)',
    '[a](exchange:answer/2 "t") [b](exchange:answer/2)',
  ],
  ['a bare address', 'See https://e.org/q/1.', 'See [#1](exchange:question/1).'],
  ['an address in angle brackets', '<https://e.org/questions/1>', '[#1](exchange:question/1)'],
  [
    'what the dump hasn’t',
    '[a](https://e.org/questions/9/x) https://e.org/tags',
    '[a](https://e.org/questions/9/x) https://e.org/tags',
  ],
  ['another site', '[a](https://other.org/questions/1)', '[a](https://other.org/questions/1)'],
  ['a link with code in its words', '[`a`](https://e.org/q/1)', '[`a`](exchange:question/1)'],
  ['an address below the text', '[a][1]\n\n[1]: https://e.org/q/1', '[a][1]\n\n[1]: exchange:question/1'],
  [
    'an address as the words of its link',
    '[https://e.org/q/1](https://e.org/q/1)',
    '[https://e.org/q/1](exchange:question/1)',
  ],
  ['code', '`https://e.org/q/1`', '`https://e.org/q/1`'],
]

for (const [what, markdown, linked] of LINKS) {
  test(`${what} leads to what the dump has, and elsewhere as before`, () => {
    const kindOf = (id: number) => (id === 1 ? 'question' : id === 2 ? 'answer' : null)
    const shown = withLinks(markdown, (address) => ownPost(address, ['e.org'], kindOf) ?? address)
    assert.equal(shown, linked)
  })
}

test('duplicates, closings and links between posts come along, and numbers in texts lead nowhere', async (t) => {
  const db = await testDatabase(t)
  const closed = { ClosedDate: '2018-05-01T00:00:00.000' }
  await importDump(t, db, {
    posts: [
      aDumpQuestion({ Id: 11, ...closed }),
      aDumpQuestion({
        Id: 12,
        ...closed,
        Body: '<p>See <a href="https://physics.example/a/14">it</a> and #1</p>',
      }),
      aDumpQuestion({ Id: 13 }),
      aDumpAnswer({ Id: 14, ParentId: 13 }),
      // Each says that the other answers it.
      aDumpQuestion({ Id: 15 }),
      aDumpQuestion({ Id: 16 }),
    ],
    history: [{ Id: 1, PostHistoryTypeId: 10, PostId: 12, Comment: '103' }],
    files: {
      'PostLinks.xml': `<postlinks>${[
        [11, 13],
        [15, 16],
        [16, 15],
        [13, 99],
      ]
        .map(
          ([from, to], index) =>
            `<row Id="${index}" PostId="${from}" RelatedPostId="${to}" LinkTypeId="3" />`,
        )
        .join('')}</postlinks>`,
    },
  })
  const questions = await rowsOf(db, 'questions', {})
  const [duplicate, unclear, original] = questions
  const [answer] = await rowsOf(db, 'answers', {})
  assert.deepEqual(valuesOf(questions, 'duplicate_of'), [original?.id, null, null, null, null])
  assert.deepEqual([duplicate?.closing_reason, unclear?.closing_reason], [null, 'unclear'])
  assert.equal(unclear?.body, `See [it](/questions/${original?.id}#answer-${answer?.id}) and \\#1`)
  assert.deepEqual(unclear?.answers_closed_at, new Date('2018-05-01T00:00:00.000Z'))
})

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

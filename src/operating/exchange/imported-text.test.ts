import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Destinations, importedText } from './imported-text.ts'

const RUN: Destinations = {
  of: (kind, id) => {
    const here: Readonly<Record<string, string>> = {
      'question/a': '/questions/34',
      'answer/b': '/questions/34#answer-9',
      'person/p': '7',
      'file/f': `${'p'.repeat(22)}-30x20`,
    }
    return here[`${kind}/${id}`] ?? null
  },
  pictureAt: (id) => (id === 'out' ? 'https://e.org/a.png' : null),
  callsStaff: false,
}

const TEXTS: readonly [what: string, source: string, body: string][] = [
  ['numbers of questions', 'See #12, (#3) and C#7.', 'See \\#12, (\\#3) and C#7.'],
  ['mentions', '@[Mina](person:12) said', '@Mina said'],
  ['calls of the staff', '@staff (@강사진님), me@staff.org', '\\@staff (\\@강사진님), me@staff.org'],
  [
    'addresses of questions, people and pictures',
    '[a](/questions/12) [b](</people/3/x>) ![c](/uploads/x-1x1)',
    '[a\\](/questions/12) [b\\](</people/3/x>) ![c\\](/uploads/x-1x1)',
  ],
  ['addresses that are defined below', '[a]\n\n[a]: /questions/12', '[a]\n\n[a\\]: /questions/12'],
  [
    'code as it is',
    '`#12`\n\n    #12\n\n```\n@[Mina](person:12)\n```',
    '`#12`\n\n    #12\n\n```\n@[Mina](person:12)\n```',
  ],
  [
    'other links',
    '[a](https://e.org/questions/12) [b](/tags/b)',
    '[a](https://e.org/questions/12) [b](/tags/b)',
  ],
  [
    'what the run has',
    '[#1](exchange:question/a) [#1](exchange:answer/b) [x](exchange:answer/b) @[P](exchange:person/p) [p](exchange:person/p)',
    '#34 [#34](/questions/34#answer-9) [x](/questions/34#answer-9) @[P](person:7) [p](/people/7)',
  ],
  [
    'pictures of the run',
    '![x](exchange:file/f) ![y](exchange:file/out) ![z](exchange:file/none)',
    `![x](/uploads/${'p'.repeat(22)}-30x20) ![y](https://e.org/a.png) z`,
  ],
  [
    'what the run hasn’t',
    '[#5](exchange:question/z) [x](exchange:reply/z) [y](exchange:elsewhere) @[P](exchange:person/z) [p](exchange:person/z)',
    '\\#5 x y @P p',
  ],
  [
    'what leads there from words with code, brackets or a picture',
    '[`a[0]`](exchange:question/a) [a [b]](exchange:question/a) [![x](exchange:file/out)](exchange:question/a) [see #5 `x`](exchange:question/z)',
    '[`a[0]`](/questions/34) [a [b]](/questions/34) [![x](https://e.org/a.png)](/questions/34) see \\#5 `x`',
  ],
  [
    'what leads there with a title, in angle brackets, or from below',
    '[a](<exchange:question/a> "t") [b][b] [c][c]\n\n[b]: exchange:answer/b\n[c]: exchange:answer/z',
    '[a](/questions/34 "t") [b][b] [c][c]\n\n[b]: /questions/34#answer-9\n[c]: #',
  ],
  ['nothing', ' ', '(no text)'],
]

for (const [what, source, body] of TEXTS) {
  test(`an imported text has ${what}`, async () => {
    const text = await importedText(source, RUN)
    assert.equal(text.source, body)
  })
}

test('what leads to this forum in a way that is seen only as it is rendered is shown letter by letter', async () => {
  for (const source of [
    '[a][b]\n\n> [b]:\n> /questions/12',
    '[a][b]\n\n[b]:\n/people/12',
    '[a]( /people/12)',
    '[a](\n/uploads/x-1x1)',
  ])
    assert.doesNotMatch((await importedText(source, RUN)).html, /href="\//, source)
  const led = await importedText('[p](exchange:person/p) ![x](exchange:file/f)', RUN)
  assert.match(led.html, /href="\/people\/7".*src="\/uploads\/p/)
})

test('words of a link that never ends are looked at once', async () => {
  const source = `[${'![a](b)'.repeat(2000)}`
  assert.equal((await importedText(source, RUN)).source, source)
})

test('an import of another forum like this one keeps its calls of the staff', async () => {
  const { source } = await importedText('@staff, please', { ...RUN, callsStaff: true })
  assert.equal(source, '@staff, please')
})

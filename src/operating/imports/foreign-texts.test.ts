import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportTally } from '../exchange/import-tally.ts'
import { foreignHtml, withReferences } from './foreign-html.ts'
import { foreignMarkdown } from './foreign-markdown.ts'
import { piazzaText } from './piazza/piazza-text.ts'

const LEADS = {
  link: (href: string) => (/discuss\.php\?d=3$/.test(href) ? 'exchange:question/d3' : null),
  picture: (src: string) => (src.startsWith('@@PLUGINFILE@@/') ? 'exchange:file/a' : null),
}

const HTML: readonly [what: string, html: string, markdown: string][] = [
  ['a formula in brackets', '<p>Is \\(x^2\\) it?</p>', 'Is $x^2$ it?'],
  ['brackets in code', '<p><code>\\(x\\)</code></p>', '`\\(x\\)`'],
  ['a language', '<pre class="lang-python"><code>print(1)\n</code></pre>', '```python\nprint(1)\n```'],
  [
    'a link to a post',
    '<p><a href="/mod/forum/discuss.php?d=3">that</a></p>',
    '[that](exchange:question/d3)',
  ],
  [
    'a link elsewhere',
    '<p><a href="https://example.org/a?b=1&amp;c=2">it</a></p>',
    '[it](https://example.org/a?b=1&c=2)',
  ],
  ['a link within that forum', '<p><a href="/questions/12">it</a></p>', 'it'],
  ['a picture', '<p><img src="@@PLUGINFILE@@/a%20b.png" alt="A"></p>', '![A](exchange:file/a)'],
  [
    'an address of the format',
    '<p><a href="exchange:person/7">@x</a> [y](exchange:person/7)</p>',
    '@x \\[y\\](exchange:person/7)',
  ],
]

for (const [what, html, markdown] of HTML)
  test(`HTML of another forum becomes Markdown: ${what}`, async () => {
    assert.equal(await foreignHtml(html, LEADS, new ImportTally()), markdown)
  })

test('numbers of posts become links to them, outside of code and of other links', () => {
  const to = (number: string) => (number === '3' ? 'exchange:question/x' : null)
  assert.equal(
    withReferences('See \\#3, #4 and a#3; `#3` [#3](https://a.example) (#3)', '#', to),
    'See [#3](exchange:question/x), #4 and a#3; `#3` [#3](https://a.example) ([#3](exchange:question/x))',
  )
  assert.equal(withReferences('@3 @[x](person:3)', '@', to), '[@3](exchange:question/x) @[x](person:3)')
})

test('Markdown of another forum leads to what its leads say, and to nothing of the export by itself', () => {
  const markdown =
    '[a](/mod/forum/discuss.php?d=3) ![b](@@PLUGINFILE@@/b.png) [c](exchange:person/7) `[d](/x)`'
  const read = foreignMarkdown(markdown, LEADS)
  assert.match(read, /^\[a\]\(exchange:question\/d3\) !\[b\]\(exchange:file\/a\) /)
  assert.match(read, / `\[d\]\(\/x\)`$/)
  assert.doesNotMatch(read, /(?<!\\)\]\(exchange:person/)
})

const OF_TOPICS = {
  link: (href: string) => (href === '/t/1' ? 'exchange:question/1' : null),
  picture: (src: string) => (/^https?:/.test(src) ? src : null),
}

const MARKDOWN: readonly [what: string, written: string, markdown: string][] = [
  [
    'a link to a post',
    '[a](/t/1 "t") <https://e.org/t/1>',
    '[a](exchange:question/1 "t") <https://e.org/t/1>',
  ],
  ['a link with brackets or code in its words', '[a [b] `c]`](/t/1)', '[a [b] `c]`](exchange:question/1)'],
  ['a link with a picture in its words', '[![a](https://e.org/a.png)](/x)', '![a](https://e.org/a.png)'],
  ['links that lead nowhere elsewhere as words', '[a](/x) [b](#y) [c](d.html) [e](javascript:f)', 'a b c e'],
  [
    'links elsewhere',
    '[a](https://e.org/(a)) [b](mailto:b@e.org)',
    '[a](https://e.org/(a)) [b](mailto:b@e.org)',
  ],
  ['a picture that is not there as its words', '![a](upload://x.png)', 'a'],
  ['an address below the text', '[a][1]\n\n[1]: /x', '[a][1]\n\n[1]: #'],
  ['code as it is', '`[a](/x) <b>`\n\n    [a](/x)', '`[a](/x) <b>`\n\n    [a](/x)'],
  [
    'a few tags',
    '<B>a</B> <i>b</i> <del>c</del><br/><kbd>d</kbd> <span class="x">e</span> <!-- f -->',
    '**a** *b* ~~c~~ d e',
  ],
  [
    'links and pictures of HTML',
    `<a href='/t/1'>a</a> <img alt="b" src="https://e.org/b.png">`,
    '[a](exchange:question/1) ![b](https://e.org/b.png)',
  ],
  ['other tags as text', '<script>a</script> 1 < 2', '<script>a</script> 1 < 2'],
  [
    'addresses of an export as text',
    '[a](exchange:question/1) ![b]( <exchange:file/2>) <a href="exchange:person/3">c</a> [d [e [f]]](exchange:answer/4)',
    'a b c [d [e [f]]](typed-exchange:answer/4)',
  ],
  ['no blank lines around it', '\n \n    a\n\n', '    a'],
  ['escaped brackets', '\\[a](/t/1)', '\\[a](/t/1)'],
]

for (const [what, written, markdown] of MARKDOWN) {
  test(`the Markdown of another forum has ${what}`, () => {
    assert.equal(foreignMarkdown(written, OF_TOPICS), markdown)
  })
}

test('brackets and tags without end are read in a moment', () => {
  for (const part of ['[', '![', '[a [b] ', '<', '<a href="', '[a](', '](', '<img '])
    assert.equal(typeof foreignMarkdown(part.repeat(20_000), OF_TOPICS), 'string')
})

const NOWHERE = { link: () => null, picture: (src: string) => src }
const asHtml = (html: string, tally = new ImportTally()) => foreignHtml(html, NOWHERE, tally)

// Each takes minutes or years where an expression looks for the end of what never ends from each of its beginnings.
test('markup that never ends is read in time', async () => {
  const repeated = (unit: string) => unit.repeat(Math.floor(40_000 / unit.length))
  for (const unit of ['![a](b)', '[a](x "', '[a]:\t\t', '\u00a0', '\t'])
    assert.notEqual(foreignMarkdown(`[x${repeated(unit)}x`, NOWHERE), '', unit)
  for (const unit of ['\\(', '<code ', '\u00a0', '<br>', '<ol><li>'])
    assert.notEqual(await asHtml(`x${repeated(unit)}x`), '', unit)
  const piazza = { tally: new ImportTally(), numbers: new Map(), picture: (url: string) => url }
  assert.equal(await piazzaText(`${repeated(' ')}<p>x</p>`, piazza), 'x')
})

test('a list keeps its numbers, and breaks their lines', async () => {
  assert.equal(await asHtml('<ol><li>a<li>b<br>c<br></ol>'), '1. a\n2. b\\\n   c')
  assert.equal(await asHtml('<p>a<br><em>b<br></em>c</p>'), 'a\\\n_b_\\\nc')
})

test('a text that is too long to be read as markup is shown as it is written', async () => {
  const tally = new ImportTally()
  const long = `<p>\`\`\`</p>${'x '.repeat(100_000)}`
  assert.equal(await asHtml(long, tally), `\`\`\`\`\n${long}\n\`\`\`\``)
  assert.equal(tally.notes.size, 1)
  assert.equal(foreignMarkdown(long, NOWHERE), `\`\`\`\`\n${long}\n\`\`\`\``)
})

test('half of a character is replaced', async () => {
  assert.equal(foreignMarkdown('a \ud83d b', NOWHERE), 'a \ufffd b')
  assert.equal(await asHtml('<p>a \udc00</p>'), 'a \ufffd')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportTally } from '../exchange/import-tally.ts'
import { foreignHtml, withReferences } from './foreign-html.ts'
import { foreignMarkdown } from './foreign-markdown.ts'

const leads = {
  link: (href: string) => (/discuss\.php\?d=3$/.test(href) ? 'exchange:question/d3' : null),
  picture: (src: string) => (src.startsWith('@@PLUGINFILE@@/') ? 'exchange:file/a' : null),
}

const TEXTS: readonly [what: string, html: string, markdown: string][] = [
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

for (const [what, html, markdown] of TEXTS)
  test(`HTML of another forum becomes Markdown: ${what}`, async () => {
    assert.equal(await foreignHtml(html, leads, new ImportTally()), markdown)
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
  const read = foreignMarkdown(markdown, leads)
  assert.match(read, /^\[a\]\(exchange:question\/d3\) !\[b\]\(exchange:file\/a\) /)
  assert.match(read, / `\[d\]\(\/x\)`$/)
  assert.doesNotMatch(read, /(?<!\\)\]\(exchange:person/)
})

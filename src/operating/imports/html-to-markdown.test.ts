import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { plainText } from '../../text/plain.ts'
import { literally } from '../foreign/literally.ts'
import { readDumpHtml } from './dump-html.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'

const CONVERSIONS: readonly [what: string, html: string, markdown: string][] = [
  [
    'emphasis',
    '<p><em>a</em> <b>b</b> <del>c</del> <strong><em>d</em></strong></p>',
    '_a_ **b** ~~c~~ **_d_**',
  ],
  ['emphasis within words', '<p>un<em>frigging</em>believable</p>', 'un*frigging*believable'],
  ['emphasis that ends with a mark before a word', '<p><strong>Note:</strong>this</p>', '**Note**:this'],
  ['code in a line', '<p><code>a `b` _c_</code> <kbd>Ctrl</kbd></p>', '``a `b` _c_`` `Ctrl`'],
  [
    'a block of code',
    '<pre class="lang-py s-code-block"><code>if a:\n    b()\n</code></pre>',
    '```py\nif a:\n    b()\n```',
  ],
  ['code with fences in it', '<pre><code>```\nx\n```\n</code></pre>', '````\n```\nx\n```\n````'],
  [
    'a hint for the language',
    '<!-- language: lang-java -->\n\n<pre><code>int a;\n</code></pre>',
    '```java\nint a;\n```',
  ],
  [
    'links',
    '<p><a href="https://e.org/a_(b)" title="T">x [1]</a></p>',
    '[x \\[1\\]](https://e.org/a_(b) "T")',
  ],
  ['a bare address', '<p><a href="https://e.org/_a_">https://e.org/_a_</a></p>', '<https://e.org/_a_>'],
  ['a link to a tag', '<p><a href="/questions/tagged/c%23" class="post-tag">c#</a></p>', '[c#](/tags/c%23)'],
  ['a link that leads nowhere from here', '<p><a href="/faq#editing">FAQ</a></p>', 'FAQ'],
  ['pictures', '<p><img src="https://i.org/a.png" alt="A [b]"></p>', '![A \\[b\\]](https://i.org/a.png)'],
  [
    'a picture in a link',
    '<p><a href="https://e.org"><img src="https://i.org/a.png" alt="A"></a></p>',
    '[![A](https://i.org/a.png)](https://e.org)',
  ],
  [
    'nested lists',
    '<ul>\n<li>a\n\n<ol start="3">\n<li>b</li>\n<li>c</li>\n</ol></li>\n<li>d</li>\n</ul>',
    '- a\n  3. b\n  4. c\n- d',
  ],
  ['two lists that follow each other', '<ul><li>a</li></ul><ul><li>b</li></ul>', '- a\n\n* b'],
  [
    'code in a list',
    '<ul><li><p>a</p>\n<pre><code>b\n\n c\n</code></pre></li></ul>',
    '- a\n\n  ```\n  b\n\n   c\n  ```',
  ],
  ['a quote, and a spoiler', '<blockquote class="spoiler"><p>a<br>b</p></blockquote>', '> a\\\n> b'],
  ['headings', '<h1>A <em>b</em></h1><h3>C #</h3>', '# A _b_\n\n### C \\#'],
  ['a rule', '<p>a</p><hr><p>b</p>', 'a\n\n---\n\nb'],
  [
    'raised and lowered text',
    '<p>x<sup>2n</sup> H<sub>2</sub>O <sup>small print</sup></p>',
    'x²ⁿ H₂O small print',
  ],
  [
    'a table',
    '<div class="s-table-container"><table><thead><tr><th>A</th><th style="text-align: right;">B</th></tr></thead><tbody><tr><td>a|b</td><td><code>c|d</code></td></tr></tbody></table></div>',
    '| A | B |\n| --- | ---: |\n| a\\|b | `c\\|d` |',
  ],
  [
    'text that looks like Markdown',
    '<p>1. a * b_c [d](e) &amp;amp; &lt;https://f&gt;</p><p># g</p>',
    '1\\. a \\* b_c \\[d\\](e) \\&amp; \\<https://f>\n\n\\# g',
  ],
]

for (const [what, html, markdown] of CONVERSIONS) {
  test(`HTML becomes Markdown: ${what}`, () => {
    assert.equal(htmlToMarkdown(readDumpHtml(html)), markdown)
  })
}

test('TeX becomes formulas on one line, with every character', () => {
  const tex = '$$\n\\begin{pmatrix} a_{1} & b^{*} \\\\\n  - c & \\{d\\} \\end{pmatrix}\n$$'
  const html = `<p>Let ${tex.replace(/&/g, '&amp;')} and $|\\psi\\rangle_{i}\\otimes_{j}$ be.</p>`
  const markdown = htmlToMarkdown(readDumpHtml(html))
  assert.ok(markdown.includes('$|\\psi\\rangle_{i}\\otimes_{j}$'), markdown)
  assert.equal(
    plainText(renderMarkdown(markdown)),
    `Let\n$$\\begin{pmatrix} a_{1} & b^{*} \\\\ - c & \\{d\\} \\end{pmatrix}$$\n and $|\\psi\\rangle_{i}\\otimes_{j}$ be.`,
  )
})

test('an environment is a formula of its own lines; money, commented TeX and what a word follows stay text', () => {
  const shown = (html: string) => renderMarkdown(htmlToMarkdown(readDumpHtml(html)))
  assert.match(shown('<p>\\begin{align} a &amp;= b \\end{align}</p>'), /<math display="block">/)
  assert.match(shown('<p>$ a $</p>'), /<math>/)
  for (const text of ['$a$b', 'US$5 to US$6', '$a % b$', '$5 or 6$'])
    assert.equal(plainText(shown(`<p>${text}</p>`)), text)
  assert.doesNotMatch(shown('<p>$a$b and $a % b$</p>'), /<math/)
})

test('dollars in code are no TeX', () => {
  assert.equal(htmlToMarkdown(readDumpHtml('<p><kbd>$a</kbd> <code>$_b</code></p>')), '`$a` `$_b`')
})

test('HTML nested without end is converted, its words kept', () => {
  const depth = 20_000
  const html = readDumpHtml(`${'<blockquote>'.repeat(depth)}deep${'</blockquote>'.repeat(depth)}`)
  assert.match(htmlToMarkdown(html), /deep$/)
})

test('any text made literal is shown exactly as it is', () => {
  const pieces = [
    ...[
      '\\',
      '_',
      '*',
      '`',
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '#',
      '-',
      '+',
      '=',
      '~~',
      '1.',
      '12)',
      '&amp;',
      ';',
      '|',
      ':',
    ],
    ...[
      '"',
      '$',
      '{',
      '}',
      ' ',
      '\n',
      'a',
      '한',
      'é',
      'https://x.y/z_',
      'www.x.y',
      'ftp://x.y',
      'a@b.c',
      '---',
      '***',
      '```',
      '[x] ',
      '.',
      '/',
    ],
  ]
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) =>
    parts
      .join('')
      .replace(/\n\s*\n/g, '\n')
      .trim(),
  )
  const withoutBlanks = (text: string) => text.replace(/\s+/g, '')
  const isShown = (text: string) =>
    assert.equal(withoutBlanks(plainText(renderMarkdown(literally(text)))), withoutBlanks(text))
  for (const text of ['a|b\n-|-', '|a\n| -', '|\\\n:---', 'https://x.y/z(>\\)']) isShown(text)
  holds(fc.property(texts, isShown), 2000)
})

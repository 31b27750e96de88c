import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { plainText } from '../../text/plain.ts'
import { literally } from '../foreign/literally.ts'
import { commentMarkdown } from './comment-markdown.ts'
import { readDumpHtml } from './dump-html.ts'
import { htmlToMarkdown } from './html-to-markdown.ts'
import { postMarkdown } from './post-markdown.ts'

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
    ...'\\ _ * ` [ ] ( ) ! < > # - + = ~~ 1. 12) &amp; ; | : " $ { }'.split(' '),
    ...[' ', '\n', 'a', '한', 'é', 'https://x.y/z_', 'www.x.y', 'ftp://x.y', 'a@b.c', '---', '***', '```'],
    ...['[x] ', '.', '/'],
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
  for (const text of ['a|b\n-|-', '|a\n| -', '|\\\n:---', 'https://x.y/z(>\\)', '[x] \n\\']) isShown(text)
  holds(fc.property(texts, isShown), 2000)
})

const COMMENTS: readonly [what: string, text: string, html: string][] = [
  ['emphasis and code', '**a** _b_ *c* `d_e*`', '<strong>a</strong> <em>b</em> <em>c</em> <code>d_e*</code>'],
  [
    'a link',
    '[a](https://e.org/b_(c)_d)',
    '<a href="https://e.org/b_(c)_d" rel="nofollow ugc noopener">a</a>',
  ],
  [
    'an address',
    'see https://e.org/_b_.',
    'see <a href="https://e.org/_b_" rel="nofollow ugc noopener">https://e.org/_b_</a>.',
  ],
  ['what would be a list', '- a\n1. b\n+1 c', '- a\n1. b\n+1 c'],
  ['what would be a heading, a quote, code', '# a\n> b\n\n    c', '# a\n&gt; b</p>\n<p>c'],
  [
    'what would be a picture',
    '![a](https://e.org)',
    '!<a href="https://e.org" rel="nofollow ugc noopener">a</a>',
  ],
  ['what would be struck out', '~~a~~', '~~a~~'],
  ['tags and references', '<b>a</b> &amp; &copy;', '&lt;b&gt;a&lt;/b&gt; &amp;amp; &amp;copy;'],
  ['escaped marks', '\\*a\\* \\[b\\]', '*a* [b]'],
  ['what is no formula', '$a$b *c* $5', '$a$b <em>c</em> $5'],
  ['TeX in code', '`$\\%$`', '<code>$\\%$</code>'],
]

test('a comment shows its formulas', () => {
  const html = renderMarkdown(commentMarkdown('$a_{1}*\\{b\\}*_{2}$ and $|0\\rangle$'))
  assert.equal(plainText(html), '$a_{1}*\\{b\\}*_{2}$ and $|0\\rangle$')
  assert.equal(html.split('<math>').length, 3)
})

for (const [what, text, html] of COMMENTS) {
  test(`a comment shows ${what} as it did`, () => {
    assert.equal(renderMarkdown(commentMarkdown(text)), `<p>${html}</p>\n`)
  })
}

const DECISIONS: readonly [
  what: string,
  html: string,
  source: string | null,
  origin: string,
  markdown: string,
][] = [
  ['the source, where it shows what the HTML does', '<p>an <em>a</em></p>', 'an *a*', 'source', 'an *a*'],
  ['the HTML, where there is no source', '<p>an <em>a</em></p>', null, 'html', 'an _a_'],
  ['the HTML, where the source has tags that would be seen', '<p>a<br>b</p>', 'a<br>b', 'html', 'a\\\nb'],
  [
    'the source, where tags are meant to be seen',
    '<p><code>a&lt;br&gt;b</code></p>',
    '`a<br>b`',
    'source',
    '`a<br>b`',
  ],
  ['the HTML, where the source is older Markdown', '<h2>Head</h2>', '##Head', 'html', '## Head'],
  [
    'the HTML, where a mark of the old site would be seen',
    '<p>a <a href="/questions/tagged/b">b</a></p>',
    'a [tag:b]',
    'html',
    'a [b](/tags/b)',
  ],
  [
    'the HTML, where the source would be another block',
    '<p>a</p>\n\n<ul><li>b</li></ul>',
    'a\n\n    - b',
    'html',
    'a\n\n- b',
  ],
  [
    'the source with its formulas',
    '<p>*not* $\\{x_{1}\\}_{2}*y*$ <em>e</em></p>',
    '\\*not* $\\{x_{1}\\}_{2}*y*$ *e*',
    'source',
    '\\*not* $\\{x_{1}\\}_{2}*y*$ *e*',
  ],
  [
    'the source of a spoiler as a quote',
    '<blockquote class="spoiler"><p>a</p></blockquote>',
    '>! a',
    'source',
    '> a',
  ],
]

for (const [what, html, source, origin, markdown] of DECISIONS) {
  test(`a post is made of ${what}`, async () => {
    const post = await postMarkdown(html, source)
    assert.deepEqual([post.origin, post.fidelity, post.columns.body], [origin, 'exact', markdown])
  })
}

test('what Markdown cannot show as it was is told', async () => {
  assert.equal((await postMarkdown('<p><a href="ftp://e.org/a.pdf">PDF</a></p>', null)).fidelity, 'near')
  assert.equal((await postMarkdown('<p>a<strong>(b)</strong>c</p>', null)).fidelity, 'words')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postMarkdown } from './post-markdown.ts'

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

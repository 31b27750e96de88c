import assert from 'node:assert/strict'
import { test } from 'node:test'
import { render as renderMarkdown } from '../../text/markdown/pipeline.ts'
import { plainText } from '../../text/plain.ts'
import { commentMarkdown } from './comment-markdown.ts'

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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignMarkdown } from './foreign-markdown.ts'

const LEADS = {
  link: (href: string) => (href === '/t/1' ? 'exchange:question/1' : null),
  picture: (src: string) => (/^https?:/.test(src) ? src : null),
}

const TEXTS: readonly [what: string, written: string, markdown: string][] = [
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

for (const [what, written, markdown] of TEXTS) {
  test(`the Markdown of another forum has ${what}`, () => {
    assert.equal(foreignMarkdown(written, LEADS), markdown)
  })
}

test('brackets and tags without end are read in a moment', () => {
  for (const part of ['[', '![', '[a [b] ', '<', '<a href="', '[a](', '](', '<img '])
    assert.equal(typeof foreignMarkdown(part.repeat(20_000), LEADS), 'string')
})

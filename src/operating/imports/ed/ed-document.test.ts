import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ImportTally } from '../../exchange/import-tally.ts'
import { foreignHtml } from '../foreign-html.ts'
import { edHtml } from './ed-document.ts'
import { edDocument } from './ed-testing.ts'

const leads = { link: () => null, picture: (src: string) => src }

const TEXTS: readonly [what: string, xml: string, markdown: string][] = [
  [
    'headings and paragraphs',
    '<heading level="2">A</heading><paragraph>b &amp; c</paragraph>',
    '## A\n\nb & c',
  ],
  [
    'emphasis',
    '<paragraph><bold>a</bold> <italic>b</italic> <underline>c</underline> <code>d_e</code></paragraph>',
    '**a** _b_ c `d_e`',
  ],
  ['formulas', '<paragraph>Is <math>x^2 &lt; y</math> it?</paragraph>', 'Is $x^2 < y$ it?'],
  [
    'lists',
    '<list style="bullet"><list-item><paragraph>a</paragraph></list-item><list-item><paragraph>b</paragraph></list-item></list><list style="number"><list-item><paragraph>c</paragraph></list-item></list>',
    '- a\n- b\n\n1. c',
  ],
  [
    'code with its language',
    '<snippet language="python" runnable="true"><snippet-file id="code">if a &lt; b:\n    print("&lt;p&gt;")</snippet-file></snippet>',
    '```python\nif a < b:\n    print("<p>")\n```',
  ],
  ['code without one', '<pre>a  b\n#3</pre>', '```\na  b\n#3\n```'],
  [
    'callouts and spoilers',
    '<callout type="info"><paragraph>a</paragraph></callout><spoiler><paragraph>b</paragraph></spoiler>',
    '> a\n\n> b',
  ],
  [
    'links, pictures and files',
    '<paragraph><link href="https://example.org/a">a</link></paragraph><figure><image src="https://example.org/b.png" width="1" height="2"/></figure><file url="https://example.org/c/d.pdf?x=1"/>',
    '[a](https://example.org/a)\n\n![](https://example.org/b.png)\n\n[d.pdf](https://example.org/c/d.pdf?x=1)',
  ],
  [
    'what isn’t known',
    '<paragraph><mention id="7">@Jun</mention> &lt;script&gt;</paragraph>',
    '@Jun <script>',
  ],
  ['Korean, composed', `<paragraph>${'왜'.normalize('NFD')}</paragraph>`, '왜'],
]

for (const [what, xml, markdown] of TEXTS)
  test(`a text of Ed becomes Markdown: ${what}`, async () => {
    const tally = new ImportTally()
    assert.equal(await foreignHtml(edHtml(edDocument(xml))?.html ?? '', leads, tally), markdown)
    assert.deepEqual([...tally.notes], [])
  })

for (const xml of [
  '<document><paragraph>',
  '<!DOCTYPE a [<!ENTITY b "c">]><document>&b;</document>',
  'words',
])
  test(`what is no well-formed text of Ed is told: ${xml}`, () => assert.equal(edHtml(xml), null))

test('a text of Ed that is nested 50,000 deep is read', () => {
  assert.notEqual(edHtml(edDocument('<bold>'.repeat(50_000) + '</bold>'.repeat(50_000))), null)
})

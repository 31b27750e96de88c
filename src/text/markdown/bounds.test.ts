import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../markdown.ts'
import { excerpt } from '../plain.ts'
import { languages } from './languages.ts'

const LONGEST_BODY = 30_000
const MOST_MILLISECONDS = 200
const MOST_HTML = 600_000

const fill = (unit: string, before = '') =>
  before + unit.repeat(Math.ceil(LONGEST_BODY / unit.length)).slice(0, LONGEST_BODY - before.length)
const halves = (one: string, other: string) =>
  [one, other].map((unit) => unit.repeat(LONGEST_BODY / 2 / unit.length)).join('')
const growing = (unit: (size: number) => string) =>
  Array.from({ length: 240 }, (_, size) => unit(size))
    .join('')
    .slice(0, LONGEST_BODY)
const table = (columns: number, row: string) =>
  fill(row, `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`)

const sources: Readonly<Record<string, readonly string[]>> = {
  quotes: [
    fill('>'),
    fill('> '),
    growing((size) => `${'>'.repeat(size)}a\n`),
    fill(`${'>'.repeat(39)}a\n`),
    fill('a\n', `${'>'.repeat(40)}\n`),
  ],
  lists: [
    fill('- '),
    fill('1. '),
    fill('- a\n'),
    fill('-\n'),
    fill('- a\n\n'),
    fill('> - '),
    fill('> 1. - '),
    growing((size) => `${' '.repeat(size)}- a\n`),
  ],
  tasks: [fill('- [ ] a\n'), fill('- [x]')],
  brackets: [
    fill('['),
    fill('[]'),
    fill('![['),
    halves('[', ']'),
    halves('[', '](/x)'),
    halves('![', '](x)'),
    fill('[a]('),
    fill('(', '[a]('),
  ],
  emphasis: [
    fill('*'),
    fill('*a '),
    fill('*a_ '),
    fill('a*'),
    fill('**a *b '),
    halves('*a ', 'b* '),
    halves('*a **', 'b** c*'),
    fill('~~a '),
    halves('~~a', '~~'),
  ],
  backticks: [
    fill('`'),
    fill('`a'),
    fill('``a` '),
    growing((size) => `${'`'.repeat(size + 1)}a`),
    fill('```\n'),
    fill('```\n~~~\n'),
  ],
  tables: [
    table(3, '|1|2|3|\n'),
    table(4_900, '|1|\n'),
    table(100, '|\n'),
    table(12, '|\n'),
    table(4, '|\n'),
    fill('|'),
    fill('|-'),
    fill('|a\n|-\n'),
    fill('|a|b|\n|-|-|\n|1|2|\n\n'),
  ],
  addresses: [
    fill('http://'),
    fill('http://a.b '),
    fill('a@'),
    fill('a@b.c '),
    fill('www.'),
    fill('www.a.b'),
    fill('a', 'http://a.b/'),
    fill('a.', 'http://'),
    fill('http://a.b/[({'),
    fill('은', 'www.'),
    fill('mailto:a'),
    fill("http://a.b/'a"),
  ],
  tags: [
    fill('<'),
    fill('<a'),
    fill('<http:'),
    fill('<!--'),
    fill('<a href="'),
    fill('<?'),
    fill('<![CDATA['),
    fill('</a'),
  ],
  references: [
    fill('[a]: /u\n'),
    fill('[a]:'),
    fill("[a]: /u '\n"),
    growing((size) => `[${size}]: /u\n[${size}] `),
    fill('[a] ', '[a]: /u\n\n'),
  ],
  'references that repeat a long address': [
    fill('[a]', `[a]: /${'x'.repeat(14_000)}\n\n`),
    fill('[a]', `[a]: /u "${'&'.repeat(14_000)}"\n\n`),
    fill('![a]', `[a]: https://x.y/${'%'.repeat(9_000)}\n\n`),
  ],
  characters: [
    fill('&'),
    fill('&amp;'),
    fill('&#x'),
    fill('\\'),
    fill('\\*'),
    fill('\0'),
    fill('"\''),
    fill(' '),
    fill('\t'),
    fill('\n'),
    fill('  \n'),
    fill(' ', 'a'),
  ],
  blocks: [
    fill('# a\n'),
    fill('#'),
    fill('a\n=\n'),
    fill('***\n'),
    fill('* * '),
    fill('a\n'),
    fill('a  \n'),
    fill('    a\n'),
  ],
  words: [fill('lorem ipsum '), fill('안녕 '), fill('[](/a)'), fill('![](/a)')],
}

for (const [name, hostile] of Object.entries(sources)) {
  test(`${name}: time and space stay bounded, whatever stands in a post`, () => {
    for (const source of hostile) {
      assert.ok(source.length <= LONGEST_BODY)
      const html = quickly(() => renderMarkdown(source), source)
      assert.ok(html.length < MOST_HTML, `${html.length} characters of HTML for ${source.slice(0, 40)}`)
      quickly(() => excerpt(html, 200), source)
    }
  })
}

test('colouring code takes bounded time in every language', () => {
  for (const language of Object.keys(languages)) {
    for (const unit of ['a\n', 'select new ', '"""', '{%', '= <']) {
      const lines =
        fill(unit)
          .slice(0, 5_900)
          .match(/[^\n]{1,150}/g) ?? []
      const source = `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``
      quickly(() => renderMarkdown(source), source)
    }
  }
})

/** What `act` gives, if it is quick: in time of this thread, the best of a few runs, as others may use the machine. */
function quickly<Made>(act: () => Made, source: string): Made {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5; run += 1) {
    const before = process.threadCpuUsage()
    const made = act()
    const { user, system } = process.threadCpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    if (best < MOST_MILLISECONDS) return made
  }
  assert.fail(`${Math.round(best)} ms for ${JSON.stringify(source.slice(0, 60))}…`)
}

/** Maximum characters of a post's body. */
export const MAX_BODY_LENGTH = 30_000

/** A text of maximum length: `before`, then a unit repeated. */
export const fill = (unit: string, before = '') =>
  before + unit.repeat(Math.ceil(MAX_BODY_LENGTH / unit.length)).slice(0, MAX_BODY_LENGTH - before.length)
const halves = (one: string, other: string) =>
  [one, other].map((unit) => unit.repeat(MAX_BODY_LENGTH / 2 / unit.length)).join('')
const growing = (unit: (size: number) => string) =>
  Array.from({ length: 240 }, (_, size) => unit(size))
    .join('')
    .slice(0, MAX_BODY_LENGTH)
const table = (columns: number, row: string) =>
  fill(row, `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`)

/** Posts of maximum length that are as expensive as possible to render, by their content. */
export const hostilePosts: Readonly<Record<string, readonly string[]>> = {
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
  formulas: [
    fill('$'),
    fill('$a$ '),
    fill('$a$'),
    fill('${'),
    fill('$a '),
    fill('$$a\n'),
    fill('$$\n'),
    fill('$$\na\n$$\n'),
    fill('$\\def\\a{\\a\\a}\\a$ '),
    fill('$\\foo$ '),
    fill('$\\pmod{\\pmod{\\pmod{a}}}$ '),
    fill('$\\dots\\dots\\dots\\dots$ '),
    fill(`$${'{'.repeat(1_400)}${'}'.repeat(1_400)}$ `),
    fill(`$${'\\sqrt{'.repeat(250)}a${'}'.repeat(250)}$ `),
    fill(`$${'\\frac a{'.repeat(200)}b${'}'.repeat(200)}$ `),
    fill(`$${'\\text{$'.repeat(200)}b${'$}'.repeat(200)}$ `),
    fill(`$\\begin{matrix}${'&'.repeat(2_000)}\\end{matrix}$ `),
    fill(`$${'\\binom ab'.repeat(200)}$ `),
    fill(`$${'x_1^2'.repeat(500)}$ `),
    fill(`$${'\\mathchoice{'.repeat(60)}a${'}{}{}{}'.repeat(60)}$ `),
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

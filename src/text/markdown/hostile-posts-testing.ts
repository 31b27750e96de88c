/** Maximum characters of a post's body. */
export const MAX_BODY_LENGTH = 30_000

/** A text of maximum length: `before`, then a unit repeated. */
export const fill = (unit: string, before = '') =>
  before + unit.repeat(Math.ceil(MAX_BODY_LENGTH / unit.length)).slice(0, MAX_BODY_LENGTH - before.length)
const fills = (...units: readonly string[]) => units.map((unit) => fill(unit))
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
    ...fills('>', '> ', `${'>'.repeat(39)}a\n`),
    growing((size) => `${'>'.repeat(size)}a\n`),
    fill('a\n', `${'>'.repeat(40)}\n`),
  ],
  lists: [
    ...fills('- ', '1. ', '- a\n', '-\n', '- a\n\n', '> - ', '> 1. - '),
    growing((size) => `${' '.repeat(size)}- a\n`),
  ],
  tasks: [fill('- [ ] a\n'), fill('- [x]')],
  brackets: [
    ...fills('[', '[]', '![[', '[a]('),
    halves('[', ']'),
    halves('[', '](/x)'),
    halves('![', '](x)'),
    fill('(', '[a]('),
  ],
  emphasis: [
    ...fills('*', '*a ', '*a_ ', 'a*', '**a *b ', '~~a '),
    halves('*a ', 'b* '),
    halves('*a **', 'b** c*'),
    halves('~~a', '~~'),
  ],
  backticks: [
    ...fills('`', '`a', '``a` ', '```\n', '```\n~~~\n'),
    growing((size) => `${'`'.repeat(size + 1)}a`),
  ],
  tables: [
    ...[...fills('|', '|-', '|a\n|-\n', '|a|b|\n|-|-|\n|1|2|\n\n'), table(3, '|1|2|3|\n')],
    ...[table(4_900, '|1|\n'), table(100, '|\n'), table(12, '|\n'), table(4, '|\n')],
  ],
  addresses: [
    ...fills('http://', 'http://a.b ', 'a@', 'a@b.c ', 'www.', 'www.a.b', 'http://a.b/[({', 'mailto:a'),
    ...fills("http://a.b/'a"),
    fill('a', 'http://a.b/'),
    fill('a.', 'http://'),
    fill('은', 'www.'),
  ],
  tags: [...fills('<', '<a', '<http:', '<!--', '<a href="', '<?', '<![CDATA[', '</a')],
  references: [
    ...fills('[a]: /u\n', '[a]:', "[a]: /u '\n"),
    growing((size) => `[${size}]: /u\n[${size}] `),
    fill('[a] ', '[a]: /u\n\n'),
  ],
  'references that repeat a long address': [
    fill('[a]', `[a]: /${'x'.repeat(14_000)}\n\n`),
    fill('[a]', `[a]: /u "${'&'.repeat(14_000)}"\n\n`),
    fill('![a]', `[a]: https://x.y/${'%'.repeat(9_000)}\n\n`),
  ],
  formulas: [
    ...fills('$', '$a$ ', '$a$', '${', '$a ', '$$a\n', '$$\n', '$$\na\n$$\n', '\\(', '\\[a ', '\\({'),
    ...fills('\\(a\\) ', '\\[\na\n\\]\n', '\\[\n', '```math\na\n```\n', '$\\def\\a{\\a\\a}\\a$ '),
    ...fills('$\\foo$ ', '$\\pmod{\\pmod{\\pmod{a}}}$ ', '$\\dots\\dots\\dots\\dots$ '),
    ...fills(`$${'{'.repeat(1_400)}${'}'.repeat(1_400)}$ `),
    ...fills(`$${'\\sqrt{'.repeat(250)}a${'}'.repeat(250)}$ `),
    ...fills(`$${'\\frac a{'.repeat(200)}b${'}'.repeat(200)}$ `),
    ...fills(`$${'\\text{$'.repeat(200)}b${'$}'.repeat(200)}$ `),
    ...fills(`$\\begin{matrix}${'&'.repeat(2_000)}\\end{matrix}$ `, `$${'\\binom ab'.repeat(200)}$ `),
    ...fills(`$${'x_1^2'.repeat(500)}$ `, `$${'\\mathchoice{'.repeat(60)}a${'}{}{}{}'.repeat(60)}$ `),
  ],
  code: [
    fill('{1}\na\n```\n```java numbers '),
    fill('```\nint a;\n```\n'),
    fill('\n', '```java numbers {1-99999}\n'),
    fill('a\n', `\`\`\`x {${'1,'.repeat(99)}}\n`),
    fill('/*\n', '```java {1}\n'),
    fill('int a;\n', '```\n'),
  ],
  characters: [
    ...fills('&', '&amp;', '&#x', '\\', '\\*', '\0', '"\'', ' ', '\t', '\n', '  \n'),
    fill(' ', 'a'),
  ],
  blocks: [...fills('# a\n', '#', 'a\n=\n', '***\n', '* * ', 'a\n', 'a  \n', '    a\n')],
  words: [fill('lorem ipsum '), fill('안녕 '), fill('[](/a)'), fill('![](/a)')],
}

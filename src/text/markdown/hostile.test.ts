import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { holds } from '../../testing/properties.ts'
import { offencesIn } from './offences-testing.ts'
import { render as renderMarkdown } from './pipeline.ts'
import { sanitize } from './sanitizer.ts'

const folder = join(import.meta.dirname, '../../../../shared/data/hostile')
const skip = existsSync(folder) ? false : `no hostile strings at ${folder}`

const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const lines = (name: string) => read(name).split('\n')
const naughty = (): string[] => JSON.parse(read('naughty-strings.json'))

/** Each string as a post; as links, images, cells, tasks; and as code. */
const posts = (text: string) => [
  text,
  `[a](${text}) ![${text}](<${text}> "${text}") <${text}>\n\n|${text}|\n|-|\n|${text}|\n\n- [ ] ${text}\n\n[a]\n\n[a]: ${text}`,
  `\`\`\`html\n${text}\n\`\`\`\n\n\`\`\`${text}\n${text}`,
]

for (const [name, strings] of [
  ['XSS payloads', () => lines('xss.txt')],
  ['Markdown payloads', () => [...lines('markdown-xss.txt'), read('markdown-xss.txt')]],
  ['naughty strings', naughty],
] as const) {
  test(`${name} come out as words and allowed links`, { skip }, () => {
    const hostile = strings().flatMap(posts)
    assert.ok(hostile.length > 50)
    for (const source of hostile) assert.deepEqual(offencesIn(renderMarkdown(source)), [], source)
  })
}

test('the sanitizer alone lets nothing through, whatever made the HTML', { skip }, () => {
  const wrapped = (text: string) => [
    text,
    `<a href="${text}">a</a>`,
    `<div class="x ${text}" style="${text}">a</div>`,
  ]
  for (const html of [...lines('xss.txt'), ...naughty()].flatMap(wrapped))
    assert.deepEqual(offencesIn(sanitize(html)), [], html)
})

const morsel = fc.constantFrom(
  ...['\n', '\n\n', '    ', '\t', ' ', '> ', '- ', '1. ', '- [x] ', '# ', '***\n', '|', '|-|-|\n', '```\n'],
  ...['```html\n', '~~~js\n'],
  ...['*', '**', '_', '~~', '`', '[', ']', '](', ')', '![', '[a]: ', '<', '>', '"', "'", '&', ';', '\\', ':'],
  ...['/', '//', '#', '=', '\0'],
  ...['http://', 'https://a.b', 'www.c.d', 'mailto:', 'e@f.g', 'javascript:', 'data:', '&#x6A;', '&lt;'],
  ...['&Tab;', '%0A', '\u202E'],
  ...['<a href=', '<img src=x onerror=', '<script>', '</p>', '<!--', '-->', '<?', '<![CDATA[', 'style="'],
  ...['class="code-type"', 'id=x'],
  ...['한글', '에서', '😀', '\ud800', 'a', 'b c', '1'],
)
const soup = fc.array(
  fc.oneof({ weight: 9, arbitrary: morsel }, fc.string({ unit: 'binary', maxLength: 5 })),
  { maxLength: 60 },
)

test('any soup of Markdown comes out within the allow-list, twice the same', () => {
  const property = fc.property(soup, (parts) => {
    const source = parts.join('')
    const html = renderMarkdown(source)
    assert.deepEqual(offencesIn(html), [])
    assert.equal(renderMarkdown(source), html)
  })
  holds(property, 1_500)
})

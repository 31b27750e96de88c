import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthOf } from './characters.ts'
import { render as renderMarkdown } from './markdown/pipeline.ts'
import { excerpt, plainText, proseText, showsNothing } from './plain.ts'

const html = renderMarkdown(`# Title

Some \`code\` & a <b>tag</b>, "so"

| a | b |
|---|---|
| 1 | 2 |

- [x] done

\`\`\`java
  if (a < b) {}
\`\`\`
`)

test('plain text has the words of each block on a line of its own', () => {
  const lines = ['Title', 'Some code & a <b>tag</b>, "so"', 'a b', '1 2', 'done', '  if (a < b) {}']
  assert.equal(plainText(html), lines.join('\n'))
  assert.equal(plainText(''), '')
})

test('a post of link definitions, invisible characters, marks of lists or empty code shows nothing', () => {
  for (const source of [
    ...['', '[a]: https://x.y', '&#8203;&nbsp;&shy;&zwj;', '#', '> ', '-', '```\n```', '**&nbsp;**'],
    '&#x2800;',
  ])
    assert.ok(showsNothing(renderMarkdown(source)), source)
  for (const source of ['a', '[](https://x.y)', '---', '$x$', '`&nbsp;`', '👍', '1.', '- [ ] a'])
    assert.equal(showsNothing(renderMarkdown(source)), source === '1.', source)
})

test('prose is without code', () => {
  assert.equal(proseText(html), ['Title', 'Some   & a <b>tag</b>, "so"', 'a b', '1 2', 'done'].join('\n'))
})

test('text that looks like HTML or like a reference stays what it is', () => {
  for (const text of ['&amp;lt;', '<p>', 'a < b > c', '"quoted"']) {
    assert.equal(plainText(renderMarkdown(`\`${text}\``)), text)
  }
})

test('an excerpt is cut between words and says that it is one', () => {
  assert.equal(excerpt('<p>short</p>', 10), 'short')
  assert.equal(excerpt('<p>one two\nthree</p><p>four</p>', 14), 'one two three…')
  assert.equal(excerpt('<p>one two three four</p>', 10), 'one two…')
  assert.equal(excerpt('<p>안녕하세요 여러분 반갑습니다</p>', 11), '안녕하세요 여러분…')
})

test('an excerpt of one long word is cut within it, but not within a character as people see it', () => {
  assert.equal(excerpt(`<p>${'a'.repeat(50)}</p>`, 10), `${'a'.repeat(9)}…`)
  assert.equal(excerpt(`<p>${'👩‍💻'.repeat(9)}</p>`, 10), '👩‍💻👩‍💻👩‍💻…')
  for (const length of [1, 2, 5, 20]) assert.ok(lengthOf(excerpt(html, length)) <= length)
})

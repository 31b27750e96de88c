import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasForbidden, isBlank, lengthOf, normalize, withoutEscapeSequences } from './characters.ts'

const inBody = { multiline: true }
const inTitle = { multiline: false }

test('control characters are refused; tabs and line ends are fine in bodies', () => {
  for (const code of [0, 1, 8, 11, 12, 14, 27, 31, 0x7f, 0x80, 0x85, 0x9f]) {
    assert.ok(hasForbidden(`a${String.fromCodePoint(code)}b`, inBody), `U+${code.toString(16)} in a body`)
    assert.ok(hasForbidden(`a${String.fromCodePoint(code)}b`, inTitle), `U+${code.toString(16)} in a title`)
  }
  for (const blank of ['\t', '\n', '\r\n']) {
    assert.ok(!hasForbidden(`a${blank}b`, inBody))
    assert.ok(hasForbidden(`a${blank}b`, inTitle))
  }
})

test('whole escape sequences of a terminal are taken out, halves are not', () => {
  for (const [typed, kept] of [
    ['\u001b[1;31mERROR\u001b[0m', 'ERROR'],
    ['\u001b]8;;https://x.y\u001b\\a\u001b]8;;\u0007', 'a'],
    ['\u001b[?25l\u001b[2Ka\u001b[K', 'a'],
    ['\u001b[31\n', '\u001b[31\n'],
    ['\u001b]0;a\nb\u0007', '\u001b]0;a\nb\u0007'],
    ['\u001bM\u001b', '\u001bM\u001b'],
    ['[31m]', '[31m]'],
  ] as const)
    assert.equal(withoutEscapeSequences(typed), kept)
})

test('what PostgreSQL or XML cannot hold, and what makes text read differently, is refused', () => {
  for (const character of ['\ud800', '\udc00', '\uFFFE', '\uFFFF', '\u202D', '\u202E'])
    for (const place of [inBody, inTitle]) assert.ok(hasForbidden(`a${character}b`, place))
})

test('joiners, marks, isolates, embeddings and characters of every plane are text', () => {
  const joined = ['👩‍💻', 'می‌خواهم', '𝒜', '한글', 'a\u00A0b']
  for (const text of [...joined, '\u200Fשלום', '\u2067a\u2069', '\u202AC:\\Users'])
    assert.ok(!hasForbidden(text, inTitle), text)
})

test('text is stored composed and with one kind of line end', () => {
  assert.equal(normalize('e\u0301\r\nb\rc\n'), 'é\nb\nc\n')
  assert.equal(normalize('\u1112\u1161\u11ab'), '한')
  assert.throws(() => normalize('a\ud800'), RangeError)
})

test('length counts characters as char_length() does', () => {
  assert.equal(lengthOf(''), 0)
  assert.equal(lengthOf('한글'), 2)
  assert.equal(lengthOf('𝒜😀'), 2)
  assert.equal(lengthOf('👩‍💻'), 3)
})

test('text without ink is blank', () => {
  for (const text of ['', ' \t\n', '\u200b\u200d', '\u3164', '\u2800', '\u00AD\u2060', '\u0301'])
    assert.ok(isBlank(text))
  for (const text of ['.', '\u200ba', '한', '0']) assert.ok(!isBlank(text))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hintsFor } from './hints.ts'

const LONG = 'I send a request and the server answers with a status that I do not understand at all.'
const hints = (body: string, title = 'Which status says so?', template = '') =>
  hintsFor({ title, body, template })

test('a question that can be answered gets no hint', () => {
  for (const body of [
    LONG,
    '상태 코드가 이해되지 않아서 여러 번 시도해 보았는데 결과가 계속 같았습니다.',
    `${LONG}\n\n\`\`\`java\nint a;\nint b;\n\`\`\``,
    `${LONG}\n\n    int a;\n    int b;`,
    '~~~\nint a;\nint b;',
    `${LONG}\n\n![the page](/uploads/x)`,
    '',
  ])
    assert.deepEqual(hints(body), [], body)
})

test('a title of one word, in any language', () => {
  for (const title of ['Help', ' 도와주세요 ', 'NullPointerException'])
    assert.deepEqual(hints(LONG, title), ['title'], title)
  assert.deepEqual(hints(LONG, ''), [])
})

test('a very short text, of which the headings of the course are no part', () => {
  assert.deepEqual(hints('It does not work.'), ['short'])
  assert.deepEqual(hints('안 돼요'), ['short'])
  const template = '**What I tried**\n\n**What happened**'
  assert.deepEqual(hints(template, undefined, template), [])
  assert.deepEqual(hints('**What I tried**\nnothing\n**What happened**', undefined, template), ['short'])
})

test('code and stack traces without a fence', () => {
  for (const code of [
    'public class A {\n    int a;\n}',
    'Traceback (most recent call last):\n  File "a.py", line 3\nValueError: no',
    'java.lang.NullPointerException: null\n\tat A.main(A.java:3)\n\tat B.main(B.java:4)',
  ])
    assert.deepEqual(hints(`${LONG}\n\n${code}`), ['code'], code)
})

test('an error that only a picture shows', () => {
  const picture = '![screen](/uploads/abc)'
  assert.deepEqual(hints(`${LONG} I get this error: ${picture}`), ['picture'])
  assert.deepEqual(hints(`${LONG} ${picture}`, '오류가 나요, 왜 그럴까요'), ['picture'])
  assert.deepEqual(hints(picture), ['short', 'picture'])
  assert.deepEqual(hints(`${LONG} The error: ${picture}\n\n\`\`\`\nTypeError: x\n\`\`\``), [])
})

test('hostile texts are read in linear time', () => {
  for (const piece of ['```\n', '![', '![](', '`', '\n ', '{ ', 'if (', '<a ', '~~~\n```\n'])
    assert.ok(hints(piece.repeat(Math.floor(30_000 / piece.length))).length < 5)
})

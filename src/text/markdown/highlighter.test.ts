import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { codeClasses } from './code-classes.ts'
import { detectAndHighlight, highlight } from './highlighter.ts'
import { offencesIn } from './offences-testing.ts'

const samples: readonly (readonly [string, string, string])[] = [
  ['java', '@Override public Book find(long id) { return null; } // x', 'annotation keyword type comment'],
  ['kt', 'fun main() { val a = "b" }', 'keyword string'],
  ['js', 'const a = "b" // 1', 'keyword string comment'],
  ['ts', 'interface A { b: string }', 'keyword type'],
  ['json', '{"a": [1, true, "b"]}', 'attribute number keyword string'],
  ['http', 'GET /books HTTP/1.1\nAccept: a/b\n\n{"a": 1}', 'keyword string annotation attribute number'],
  ['xml', '<a b="c"><!-- d --></a>', 'keyword attribute string comment'],
  ['html', '<p class="a">b</p>', 'keyword attribute string'],
  ['yml', 'a: 1 # b', 'attribute number comment'],
  ['postgresql', "select 1 from a where b = 'c'", 'keyword number string'],
  ['sh', 'echo "$A" # b', 'type string variable comment'],
  ['bash', 'if true; then echo 1; fi', 'keyword'],
  ['py', 'def a(b): return 1', 'keyword number'],
  ['css', '.a { color: #fff }', 'type attribute number'],
  ['diff', '@@ -1 +1 @@\n-a\n+b', 'annotation deleted inserted'],
  ['properties', 'a.b=c # d', 'attribute string'],
  ['gradle', "implementation 'a:b:1'", 'string'],
  ['docker', 'FROM node:24', 'keyword'],
  ['c#', 'public class A {}', 'keyword'],
]

for (const [language, code, classes] of samples) {
  test(`${language} is coloured`, () => {
    const html = highlight(code, language) ?? ''
    assert.deepEqual(offencesIn(html), [])
    assert.equal(textOf(html), code)
    for (const name of classes.split(' ')) assert.match(html, new RegExp(`"code-${name}"`))
  })
}

test('an unknown language is left plain', () => {
  for (const language of ['', 'klingon', '__proto__', 'constructor', 'toString'])
    assert.equal(highlight('a', language), null)
})

test('code without a language is coloured in the one it is in; output, prose and traces are left plain', () => {
  for (const [code, classes] of [
    [
      'public class A {\n  private final int b = 1;\n  @Override String c() { return "d"; }\n}\n',
      'annotation string',
    ],
    ['def a(b):\n    return [c for c in b if c is not None]\n\nprint(a([1]))\n', 'keyword'],
    ['{\n  "a": 1,\n  "b": [true, null]\n}\n', 'attribute number'],
    ['<div class="a"><p>hi</p></div>\n', 'keyword attribute'],
    ['select a, count(*) from b where c = 1 group by a;\n', 'keyword number'],
  ] as const) {
    const html = detectAndHighlight(code) ?? ''
    assert.deepEqual(offencesIn(html), [])
    assert.equal(textOf(html), code)
    for (const name of classes.split(' ')) assert.match(html, new RegExp(`"code-${name}"`), code)
  }
  for (const text of [
    'I tried it with the new version and it did not work at all, so I went back.\nThis is what I found in class.\n',
    'Exception in thread "main" java.lang.NullPointerException: "s" is null\n\tat a.Main.main(Main.java:5)\n',
    'Traceback (most recent call last):\n  File "a.py", line 1, in b\nKeyError: 1\n',
    'src\n├── main\n│   └── java\n└── test\n',
    'npm ERR! code ERESOLVE\nnpm ERR! unable to resolve dependency tree\n',
    '오류가 나요. 왜 그런지 모르겠습니다.\n',
  ])
    assert.equal(detectAndHighlight(text), null, text)
})

test('tokens, hashes and rules of dashes keep every character', () => {
  const token = `a = "${'eyJ'.repeat(100)}" // b`
  for (const code of [token, `// ${'-'.repeat(150)}\nint a;`, `a${' '.repeat(180)}\n${'\n'.repeat(99)}b`])
    assert.equal(textOf(highlight(code, 'java') ?? ''), code)
})

test('long lines, growing code and code with the mark of a cut are left plain', () => {
  assert.equal(highlight(`a ${'b c '.repeat(60)}`, 'java'), null)
  assert.equal(highlight('a\uE000b', 'java'), null)
  assert.equal(highlight(`${'$'}{`.repeat(90).concat('\n').repeat(20), 'shell'), null)
})

test('every class has its colour', () => {
  const styles = readFileSync(join(import.meta.dirname, '../../../public/css/components/code.css'), 'utf8')
  for (const name of codeClasses) assert.ok(styles.includes(`.${name} {`), name)
})

function textOf(html: string): string {
  const characters: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#x27': "'" }
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&([#\w]+);/g, (reference, name: string) => characters[name] ?? reference)
}

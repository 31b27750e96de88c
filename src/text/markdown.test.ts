import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HtmlValidate } from 'html-validate'
import { render as renderMarkdown } from './markdown/pipeline.ts'
import { plainText } from './plain.ts'

const link = (address: string, words = address) =>
  `<a href="${address}" rel="nofollow ugc noopener">${words}</a>`

const shows = (typed: string, html: string) => assert.equal(renderMarkdown(typed), html, typed)

test('what looks like HTML is shown as it was typed', () => {
  shows('a <b onclick="x()">b</b> &lt;', '<p>a &lt;b onclick="x()"&gt;b&lt;/b&gt; &lt;</p>\n')
  shows('<script>alert(1)</script>', '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n')
})

test("headings take their place under the page's own, skipping none, and empty ones go", () => {
  shows('# A\n\n## B\n\n#\n\n# C', '<h3>A</h3>\n<h4>B</h4>\n<h3>C</h3>\n')
  shows('### A\n\n###### B\n\n## C', '<h3>A</h3>\n<h4>B</h4>\n<h3>C</h3>\n')
  assert.match(renderMarkdown('# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5'), /<h6>4<\/h6>\n<h6>5<\/h6>/)
})

test('an image is a link to it, so that no picture tells its owner who reads', () => {
  shows('![a *b*](https://x.y/z.png)', `<p>${link('https://x.y/z.png', 'a b')}</p>\n`)
  shows('![](https://x.y/z.png)', `<p>${link('https://x.y/z.png')}</p>\n`)
  shows('[![a](https://x.y/z.png)](https://b.c/)', `<p>${link('https://b.c/', 'a')}</p>\n`)
})

test('a link without words shows its address, one without an address its words', () => {
  shows('[](https://x.y/)', `<p>${link('https://x.y/')}</p>\n`)
  shows('[ ](https://x.y/)', `<p>${link('https://x.y/', ' https://x.y/')}</p>\n`)
  shows('[a]() ![b]()', '<p>a b</p>\n')
})

test('links lead to web, mail and places of this site; others stay text', () => {
  for (const address of ['https://x.y/a?b=c#d', 'HTTP://X.Y', 'mailto:a@b.c', '/questions/1', '#answer-2']) {
    assert.match(renderMarkdown(`[a](${address})`), /<a href="/, address)
  }
  for (const address of [
    ...['javascript:x', 'data:text/html,x', '//evil.com', '/\\evil.com', 'page.html', '../x', 'tel:1'],
    'https:x',
  ]) {
    assert.doesNotMatch(renderMarkdown(`[a](<${address}>)`), /href="(?!\/%5C)/, address)
  }
})

test('a run of combining marks is shown as far as it is bounded', () => {
  shows(`a${'\u0301'.repeat(147)}`, `<p>a${'\u0301'.repeat(10)}</p>\n`)
})

test('an address with user information, which may read like ours, is not linked in any way of writing it', () => {
  for (const address of [
    'https://forum.example.org@evil.test/',
    'https://www.example.org@evil.test',
    'http://forum.example.org:80@evil.test',
    'HTTPS://forum.example.org%2Fquestions@evil.test/',
  ]) {
    for (const source of [
      ...[`<${address}>`, `[our forum](${address})`, `[our forum](<${address}> "title")`],
      ...[`[our forum]\n\n[our forum]: ${address}`, `![our forum](${address})`, `See ${address} for more`],
    ]) {
      const html = renderMarkdown(source)
      assert.doesNotMatch(html, /<a/, source)
      assert.ok(html.includes('evil.test'), source)
    }
  }
  assert.match(renderMarkdown('https://x.y/@name?to=a@b.c'), /href="https:\/\/x\.y\/@name\?to=a@b\.c"/)
})

test('emphasis ends before a Korean particle', () => {
  for (const [typed, shown] of [
    ['**강조(괄호)**를', '<strong>강조(괄호)</strong>를'],
    ['**"인용"**은', '<strong>"인용"</strong>은'],
    ['**`코드`**도', '<strong><code>코드</code></strong>도'],
    ['*(기울임)*이', '<em>(기울임)</em>이'],
    ['이것은 **"중요"**합니다.', '이것은 <strong>"중요"</strong>합니다.'],
  ] as const)
    assert.equal(renderMarkdown(typed).replaceAll('&quot;', '"').trim(), `<p>${shown}</p>`)
})

test('addresses in running text are links, without the Korean particle behind them', () => {
  shows('see https://x.y/books.', `<p>see ${link('https://x.y/books')}.</p>\n`)
  shows('https://x.y/books에서', `<p>${link('https://x.y/books')}에서</p>\n`)
  shows('www.x.org/a를', `<p>${link('http://www.x.org/a', 'www.x.org/a')}를</p>\n`)
  shows('see www.x.org://y on', '<p>see www.x.org://y on</p>\n')
  shows('me@x.org', `<p>${link('mailto:me@x.org', 'me@x.org')}</p>\n`)
  assert.match(renderMarkdown('https://ko.wikipedia.org/wiki/자바'), /wiki\/%EC%9E%90%EB%B0%94"/)
  for (const text of ['ftp://x.y', 'readme.md', '//a.b', 'Main.java', '`https://x.y`']) {
    assert.doesNotMatch(renderMarkdown(text), /<a/, text)
  }
})

test('task lists have boxes that show a state and are named by their words', () => {
  const html = renderMarkdown('- [ ] a *b*\n- [X] c\n- \\[x] d\n- [x](https://x.y)')
  assert.match(
    html,
    /<li class="task-list-item"><label><input type="checkbox" disabled> a <em>b<\/em><\/label><\/li>/,
  )
  assert.match(html, /<label><input type="checkbox" disabled checked> c<\/label>/)
  assert.equal(html.split('<input').length, 3)
})

test('tables scroll by keyboard, named by their heads, with aligned columns', () => {
  const html = renderMarkdown('| A | *B* "c" | |\n|:-:|--:|---|\n| 1 | 2 | 3 |')
  assert.match(html, /^<div class="scroll" tabindex="0" role="group" aria-label="A, B &quot;c&quot;"><table>/)
  assert.match(html, /<th class="column-center" scope="col">A<\/th>/)
  assert.match(html, /<td class="column-end">2<\/td>/)
  assert.match(html, /<\/th>\n<td><\/td>\n<\/tr>\n<\/thead>/)
})

test('an address of scp or a prompt is no mailbox', () => {
  const typed = 'git@github.com:mina/books.git, git@github.com: and mina@laptop.example:~$'
  shows(typed, `<p>${typed}</p>\n`)
  for (const text of ['me@x.org: so', 'mailto:me@x.org', '<git@github.com>', 'git@github.com'])
    assert.match(renderMarkdown(text), /<a href="mailto:/, text)
})

test('code behind the opening of a fence is its first line, unless it says a language or an option', () => {
  const textOf = (info: string) => plainText(renderMarkdown(`\`\`\`${info}\nnext\n\`\`\``))
  const main = 'public static void main(String[] args) {'
  for (const line of ['int first = 1;', 'std::cout << f(x)', main, '$x = *y;', 'value = numbers(1)'])
    assert.equal(textOf(line), `${line}\nnext`)
  for (const info of [
    ...['java (x)', 'KT a=b', 'haskell linenos=1', 'foo bar', ';', 'foo=1', 'numbers {1} (x)', '{1,2} a=b'],
    'ruby startline=3 $%@#$',
  ])
    assert.equal(textOf(info), 'next', info)
})

test('code blocks can be scrolled by keyboard and keep every blank', () => {
  shows('```\na <b>  \n```', '<pre tabindex="0"><code>a &lt;b&gt; &#32;\n</code></pre>\n')
  shows('```x"><b>\na\n```', '<pre tabindex="0"><code>a\n</code></pre>\n')
})

test('code is coloured until a post has had its share', () => {
  const block = (lines: number) => `\`\`\`java\n${'int a;\n'.repeat(lines)}\`\`\`\n\n`
  assert.match(renderMarkdown(block(800)), /code-type/)
  assert.doesNotMatch(renderMarkdown(block(900)), /code-type/)
  assert.equal(
    renderMarkdown(block(400) + block(500) + block(400)).split('<span class="code-type">').length,
    801,
  )
})

test('a fence may ask for numbered and for marked lines', () => {
  shows(
    '```text numbers {2,4-9}\na\nb\n\nd\n```',
    '<pre tabindex="0"><code class="numbered"><span class="line">a\n</span><mark class="line">b\n</mark><span class="line">\n</span><mark class="line">d\n</mark></code></pre>\n',
  )
  assert.match(
    renderMarkdown('```java {1}\nint a;\nint b;\n```'),
    /<code><mark class="line"><span class="code-type">/,
  )
  assert.match(renderMarkdown('```numbers\na\n```'), /class="numbered"/)
  for (const info of ['java', 'java {x}', 'numbersx', 'java {,}'])
    assert.doesNotMatch(renderMarkdown(`\`\`\`${info}\na\n\`\`\``), /class="line"/, info)
})

test('a colour that spans lines goes on in each of them, and the text stays as it is', () => {
  const html = renderMarkdown('```java {2}\n/* a\n   b */ int c;\n```')
  assert.equal(
    html,
    '<pre tabindex="0"><code><span class="line"><span class="code-comment">/* a\n</span></span><mark class="line"><span class="code-comment">   b */</span> <span class="code-type">int</span> c;\n</mark></code></pre>\n',
  )
  assert.equal(plainText(html), '/* a\n   b */ int c;')
})

test('a long block is folded, and its number of lines is not part of the text', () => {
  const code = (lines: number) => `\`\`\`text\n${'a\n'.repeat(lines)}\`\`\``
  assert.doesNotMatch(renderMarkdown(code(40)), /<details/)
  const html = renderMarkdown(code(41))
  assert.match(
    html,
    /^<details class="fold"><summary>41<\/summary><pre tabindex="0"><code>a\n[\s\S]*<\/pre><\/details>\n$/,
  )
  assert.doesNotMatch(plainText(html), /41/)
})

test('strikethrough, line breaks and rules are written as HTML writes them', () => {
  shows('~~a~~  \nb\n\n***', '<p><s>a</s><br>\nb</p>\n<hr>\n')
})

test('what stands too deep is shown as typed, not left out', () => {
  assert.match(renderMarkdown(`${'> '.repeat(100)}deep`), /deep/)
  assert.match(renderMarkdown(`${'- '.repeat(100)}deep`), /deep/)
})

test('a post of everything is valid HTML', () => {
  const validator = new HtmlValidate({ extends: ['html-validate:recommended'], elements: ['html5'] })
  const table = '| A | `b` | |\n|:-:|--:|---|\n| 1 | 2 | 3 |\n'
  const source = [
    ...['### a', '##### b', '- [ ] a\n- [x] [b](https://x.y)\n\n  c', '4) d', table, `${table}${table}`],
    '```diff numbers {2}\n-a  \n\t\n+b\n```',
    `\`\`\`\n${'a\n'.repeat(50)}\`\`\``,
    '![](https://x.y/z.png) [ ](https://x.y) <me@x.org>',
    '> ~~q~~',
  ].join('\n\n')
  const head =
    '<!DOCTYPE html>\n<html lang="en"><head><title>a</title></head><body><h1>a</h1><h2>b</h2><div>\n'
  const page = `${head}${renderMarkdown(source)}</div></body></html>\n`
  const report = validator.validateStringSync(page)
  const mistakes = report.results.flatMap(({ messages }) => messages.map(({ message }) => message))
  assert.deepEqual(mistakes, [])
})

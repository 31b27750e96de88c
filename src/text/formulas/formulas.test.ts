import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { HtmlValidate } from 'html-validate'
import { offencesIn } from '../markdown/offences-testing.ts'
import { render as renderMarkdown } from '../markdown/pipeline.ts'
import { excerpt, plainText, proseText } from '../plain.ts'
import { mathmlOf } from './mathml.ts'
import { formulaClasses } from './vocabulary.ts'

const formulasIn = (source: string) =>
  [...renderMarkdown(source).matchAll(/<math.*?<\/math>/gs)].map(([html]) => html)
const sourcesIn = (source: string) =>
  formulasIn(source).map((html) => /<annotation[^>]*>(.*)<\/annotation>/s.exec(html)?.[1])

test('a formula in a line is MathML with its source', () => {
  assert.equal(
    renderMarkdown('so $x_1$.'),
    '<p>so <math><semantics><mrow><msub><mi>x</mi><mn>1</mn></msub></mrow><annotation encoding="application/x-tex">x_1</annotation></semantics></math>.</p>\n',
  )
})

test('a formula on lines of its own is a block that scrolls by keyboard, whatever its lines begin with', () => {
  const html = renderMarkdown('so\n$$\na\n- b\n1. c\n> d\n$$\nand')
  assert.match(html, /^<p>so<\/p>\n<p><span class="formula" tabindex="0"><math display="block">/)
  assert.match(html, /<\/math><\/span><\/p>\n<p>and<\/p>\n$/)
  assert.deepEqual(sourcesIn('- a\n\n  $$\n  b\n  $$\n> $$ c $$\n\nd $$e$$ f'), ['b', 'c', 'e'])
})

test('dollars in prose stay prose', () => {
  for (const prose of [
    ...['It costs $5 and $6.', '$5, $6', 'US$5-US$6', '$5/$6', '$5 per month, or 60$.'],
    ...['echo $HOME and $PATH', '$HOME/bin:$PATH', 'a $ b $ c', '$ a$', '$a $', '$$', '$$$$', '$$\n$$'],
    ...['\\$a\\$', '$a `b$ c`', '$a\n\nb$', '$a_1'],
    'A small instance is 5$/month, a large one is 20$/month.',
    ...['The first costs (5$) and the second (6$).', 'I match /^a$/ and /^[b]$/ in the filter.'],
    ...['a 5$ fee and a 6$ fee, x$y$ and 7$(8)$', ']$/ and [$', '[$) and ($]'],
  ]) {
    assert.deepEqual(formulasIn(prose), [], prose)
  }
  assert.equal(renderMarkdown('It costs $5 and $6.'), '<p>It costs $5 and $6.</p>\n')
})

test('a word may follow a formula as it does in English and in Korean', () => {
  for (const text of ['the $n$th', 'the $n$s', '$n$는', '($n$)', '$n$-bit', '**$n$**', '[$n$](https://x.y)'])
    assert.deepEqual(sourcesIn(text), ['n'], text)
  assert.deepEqual(sourcesIn('$\\text{if $a$}$ and $\\$5$'), ['\\text{if $a$}', '\\$5'])
  assert.deepEqual(sourcesIn('|$a$|b|\n|-|-|\n|$c$|d|'), ['a', 'c'])
})

test('a formula follows a letter or digit of ASCII where TeX begins it, any other letter and a bracket', () => {
  for (const tex of ['\\pi', '^\\circ', '_1', '{}^2'])
    assert.deepEqual(sourcesIn(`20$${tex}$ a$${tex}$`), [tex, tex])
  for (const before of ['함수', 'é', ')', ']', '}', '**b**'])
    assert.deepEqual(sourcesIn(`${before}$f(x)$는`), ['f(x)'], before)
})

test('what Moodle, edX and chat programs write is a formula: brackets behind backslashes, and code named math', () => {
  assert.deepEqual(sourcesIn('Let \\(x^2\\) and \\( n \\), 함수\\(f(x)\\)는, **\\(ABC\\)** E=\\(mc^2\\).'), [
    ...['x^2', 'n', 'f(x)', 'ABC', 'mc^2'],
  ])
  const lines =
    'so\n\\[\na\n- b \\\\[2pt] c\n\\]\nand \\[ \\frac12 \\] or\n\n- \\[x\\]\n> \\[ speed = d / t \\]'
  assert.deepEqual(sourcesIn(lines), ['a\n- b \\\\[2pt] c', '\\frac12', 'x', 'speed = d / t'])
  assert.equal(formulasIn(lines).filter((html) => html.startsWith('<math display="block">')).length, 4)
  assert.deepEqual(sourcesIn('```math\na\n\nb_1\n```\n\n~~~ Math\n\\pi\n~~~'), ['a\n\nb_1', '\\pi'])
  assert.match(
    renderMarkdown('```math\nx\n```'),
    /^<p><span class="formula" tabindex="0"><math display="block">/,
  )
  assert.match(renderMarkdown('```math\n\\foo\n```'), /^<pre tabindex="0"><code>\\foo\n<\/code>/)
})

test('escaped brackets stay brackets: links, boxes, indexes, words and code', () => {
  for (const [typed, shown] of [
    ['\\[not a link\\](/foo) \\[x^2\\](y)', '[not a link](/foo) [x^2](y)'],
    ['- \\[x\\] done', '[x] done'],
    ['a\\[i\\] = b\\[i+1\\]', 'a[i] = b[i+1]'],
    ['\\[solved\\]', '[solved]'],
    ['\\[see the first line\nx = 1\\]', '[see the first line\nx = 1]'],
    ['\\(see below\\), file\\(s\\), \\(참고\\)', '(see below), file(s), (참고)'],
    ['P\\[_α_ = 1 | _x_\\]', 'P[α = 1 | x]'],
    ['\\[\\\\\\]', '[\\]'],
    ['\\\\(a\\\\) \\\\[b\\\\]', '\\(a\\) \\[b\\]'],
    ['`\\(a\\)` \\(b `c\\)`', '\\(a\\) (b c\\)'],
    ['![a \\[x^2\\]](https://x.y/z.png)', 'a [x^2]'],
  ] as const) {
    const html = renderMarkdown(typed)
    assert.doesNotMatch(html, /<math/, typed)
    assert.equal(plainText(html), shown, typed)
  }
  assert.deepEqual(sourcesIn('\\[$a$\\]'), ['a'])
})

test('code is untouched', () => {
  for (const code of ['`$a$`', '    $a$', '```\n$$\na\n$$\n```', '`` $a$ ``'])
    assert.doesNotMatch(renderMarkdown(code), /<math/, code)
})

test('a broken formula, a bomb and a definition show their source', () => {
  for (const tex of [
    ...['\\foo', '\\frac{1}', '\\begin{matrix} a', '\\left( a', '\\def\\a{\\a\\a}\\a'],
    ...['\\newcommand{\\a}{b}\\a', '\\let\\a=b \\a', '\\href{https://x.y}{a}'],
    ...['\\includegraphics{https://x.y/z.png}', '\\style{color:red}{a}'],
    ...[`${'\\sqrt{'.repeat(100)}a${'}'.repeat(100)}`, `${'\\dots'.repeat(400)}`],
  ]) {
    assert.deepEqual(formulasIn(`$${tex}$`), [], tex)
    assert.equal(plainText(renderMarkdown(`$${tex}$`)), `$${tex}$`)
  }
})

test('20,000 braces, which end in a RangeError, are no formula', () => {
  assert.equal(mathmlOf(`${'{'.repeat(20_000)}a${'}'.repeat(20_000)}`, false), null)
})

test('no formula has a style, and what it has is allowed: matrices, cases, alignment, boxes, colours, space', () => {
  for (const tex of [
    '\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}',
    '\\begin{cases} a & b \\\\ c & d \\end{cases}',
    '\\begin{aligned} a &= b \\\\ &= d \\end{aligned}',
    '\\begin{align} a &= b \\tag{1} \\\\ &= d \\end{align}',
    '\\begin{array}{|c|c:c||} \\hline a & b & c \\\\ \\hdashline d & e & f \\\\ \\hline\\hline \\end{array}',
    '\\boxed{a}\\fbox{a}\\cancel{a}\\xcancel{a}\\overline{a}\\underline{a}\\sout{a}\\fcolorbox{red}{blue}{a}',
    '\\color{red} a \\textcolor{#0f0}{b} \\colorbox{yellow}{c} \\rule{1em}{2em} \\hspace{99em} \\kern{-3em} a',
    '\\llap{a}\\rlap{b}\\smash{c}\\!d\\raise{3em}{e}\\mathbf{f}\\vec g\\hat h\\prescript{a}{b}{c}\\overbrace{x}',
    "\\lim_{x \\to 0} f'(x) \\xrightarrow{a} \\sqrt[3]{b} \\dfrac12 \\binom ab \\bra{a}\\ket{b}",
  ]) {
    const html = renderMarkdown(`$$${tex}$$`)
    assert.match(html, /<math/, tex)
    assert.doesNotMatch(html, / style=| data-| id=/, tex)
    assert.deepEqual(offencesIn(html), [], tex)
  }
})

test('a matrix keeps its place at the edges, a colour is an attribute, and nothing is larger than a page', () => {
  assert.match(renderMarkdown('$\\begin{pmatrix} a & b \\end{pmatrix}$'), /<mtd class="math-start-0">/)
  assert.match(renderMarkdown('$\\textcolor{red}{a}$'), /<mi mathcolor="#ff0000">/)
  assert.match(renderMarkdown('$\\rule{9999em}{9999em}$'), /width="30em"/)
})

test('a post has as many formulas as its share of work allows; the others show their source', () => {
  const formulas = (number: number) => formulasIn('$x_1$ '.repeat(number)).length
  assert.equal(formulas(800), 800)
  assert.ok(formulas(4_000) < 4_000)
  assert.match(renderMarkdown('$x_1$ '.repeat(4_000)), /\$x_1\$<\/p>/)
})

test('text, excerpts and prose have a formula as it was typed, or not at all', () => {
  const html = renderMarkdown('Let $a < b$ be. $$c$$ `d`')
  assert.equal(plainText(html), 'Let $a < b$ be.\n$$c$$\n d')
  assert.equal(excerpt(html, 200), 'Let $a < b$ be. $$c$$ d')
  assert.equal(plainText(html.slice(0, html.indexOf('<mo>'))), 'Let')
  assert.doesNotMatch(proseText(html), /[a$] </)
})

test('every class of formulas has its look, and the HTML is valid', () => {
  const styles = readFileSync(join(import.meta.dirname, '../../../public/css/components/formula.css'), 'utf8')
  for (const name of formulaClasses) assert.ok(styles.includes(`.${name}`), name)
  const validator = new HtmlValidate({ extends: ['html-validate:recommended'], elements: ['html5'] })
  const html = renderMarkdown('a $b$\n\n$$\\begin{cases} a & b \\\\ c & d \\end{cases}$$')
  const page = `<!DOCTYPE html>\n<html lang="en"><head><title>a</title></head><body><h1>a</h1>\n${html}</body></html>\n`
  const { results } = validator.validateStringSync(page)
  const mistakes = results.flatMap(({ messages }) => messages.map(({ message }) => message))
  assert.deepEqual(mistakes, [])
})

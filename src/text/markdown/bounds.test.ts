import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { averageCost, measured } from '../../testing/processor-time.ts'
import { holds } from '../../testing/properties.ts'
import { isLaborious } from '../markdown.ts'
import { excerpt } from '../plain.ts'
import { languages } from './highlighter.ts'
import { fill, hostilePosts, MAX_BODY_LENGTH } from './hostile-posts-testing.ts'
import { render as renderMarkdown } from './pipeline.ts'

/**
 * Maximum cost of a post of the longest length, relative to an ordinary one. The worst ones cost 5 to 10 times as much;
 * an algorithm quadratic in the length costs hundreds of times as much.
 */
const MAX_WORK_RATIO = 20
/** The same of a text that is rendered where it stands: an ordinary post of the longest length takes some 10 ms. */
const MAX_SHORT_RATIO = 2
const MAX_HTML_LENGTH = 600_000
/** Maximum nesting of elements that browsers lay out easily; they give up at some 500. */
const MAX_DEPTH = 200

/** The reference post: prose, a list and code, of the longest length. */
const ordinaryPost = fill(
  `Why does \`@JsonIgnore\` on a *field* not hide it, when the **setter** is [documented](https://example.org/a)?

- one
- two

\`\`\`java
class A { int b = 1; }
\`\`\`

`,
)

/** Microseconds. */
let ordinaryCost = costOfOrdinaryPost()

for (const [name, hostile] of Object.entries(hostilePosts)) {
  test(`${name}: time and space stay bounded, whatever stands in a post`, () => {
    for (const source of hostile) {
      assert.ok(source.length <= MAX_BODY_LENGTH)
      const html = withinBounds(() => renderMarkdown(source), source)
      assert.ok(html.length < MAX_HTML_LENGTH, `${html.length} characters of HTML for ${source.slice(0, 40)}`)
      withinBounds(() => excerpt(html, 200), source)
    }
  })
}

test('colouring code takes bounded time in every language', () => {
  for (const language of languages) {
    for (const unit of ['a\n', 'select new ', '"""', '{%', '= <']) {
      const lines =
        fill(unit)
          .slice(0, 5_900)
          .match(/[^\n]{1,150}/g) ?? []
      const source = `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``
      withinBounds(() => renderMarkdown(source), source)
    }
  }
})

test('what is rendered without a thread takes as long as an ordinary post at most, whatever stands in it', () => {
  for (const source of Object.values(hostilePosts).flat()) {
    const short = longestEasy(source)
    withinBounds(() => renderMarkdown(short), source, MAX_SHORT_RATIO)
  }
})

test('ordinary posts need no thread', () => {
  assert.ok(longestEasy(ordinaryPost).length > 3_000)
})

/** The longest beginning of a text that is rendered where it stands. */
function longestEasy(source: string): string {
  let [easy, laborious] = [0, source.length + 1]
  while (laborious - easy > 1) {
    const middle = Math.floor((easy + laborious) / 2)
    if (isLaborious(source.slice(0, middle))) laborious = middle
    else easy = middle
  }
  return source.slice(0, easy)
}

test('any short text, repeated to the longest post, takes bounded time and nests boundedly', () => {
  const part = fc.constantFrom(
    ...['>', '- ', '1. ', '* ', '\t', '    ', '\n', '\n\n', '[', ']', '(', ')', '![', '](', '*', '**', '_'],
    ...['~~', '`', '```\n'],
    ...['|', '|-|\n', '<', '</a', '<!--', '&#', '\\', '[a]: ', 'http://', 'www.', '@', 'a', 'a b ', '"', '#'],
    ...['=', '- [ ] '],
  )
  const unit = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  const property = fc.property(unit, unit, fc.boolean(), (one, other, isHalved) => {
    const half = one.repeat(Math.ceil(MAX_BODY_LENGTH / 2 / one.length)).slice(0, MAX_BODY_LENGTH / 2)
    const source = isHalved ? fill(other, half) : fill(one)
    const html = withinBounds(() => renderMarkdown(source), source)
    assert.ok(html.length < MAX_HTML_LENGTH, `${html.length} characters of HTML for ${source.slice(0, 40)}`)
    assert.ok(depthOf(html) <= MAX_DEPTH, `${depthOf(html)} levels for ${source.slice(0, 40)}`)
  })
  holds(property, 60)
})

/** Maximum nesting depth of elements. */
function depthOf(html: string): number {
  let [depth, deepest] = [0, 0]
  const parser = new Parser({
    onopentag: () => {
      depth += 1
      deepest = Math.max(deepest, depth)
    },
    onclosetag: () => {
      depth -= 1
    },
  })
  parser.end(html)
  return deepest
}

/**
 * Returns the result of `act`; fails when it takes too many times the processor time of an ordinary post. Both are
 * measured in this thread, so the machine's speed cancels out. A ratio that is too high is measured again beside a new
 * reference, because a busy machine or the JIT compiler slows single runs down.
 */
function withinBounds<Result>(act: () => Result, source: string, most = MAX_WORK_RATIO): Result {
  const ratios: number[] = []
  while (ratios.length < 5) {
    const { result, microseconds } = measured(act)
    ratios.push(Math.round(microseconds / ordinaryCost))
    if (microseconds < most * ordinaryCost) return result
    ordinaryCost = costOfOrdinaryPost()
  }
  assert.fail(`${ratios} times an ordinary post for ${JSON.stringify(source.slice(0, 60))}…`)
}

function costOfOrdinaryPost(): number {
  return averageCost(() => renderMarkdown(ordinaryPost))
}

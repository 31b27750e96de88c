import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { holds } from '../../testing/properties.ts'
import { renderMarkdown } from '../markdown.ts'
import { excerpt } from '../plain.ts'
import { fill, hostilePosts, LONGEST_BODY } from './hostile-posts-testing.ts'
import { languages } from './languages.ts'

const MOST_MILLISECONDS = 200
const MOST_HTML = 600_000
/** Elements within each other that a browser lays out with ease; it gives up at some 500. */
const MOST_DEPTH = 200

for (const [name, hostile] of Object.entries(hostilePosts)) {
  test(`${name}: time and space stay bounded, whatever stands in a post`, () => {
    for (const source of hostile) {
      assert.ok(source.length <= LONGEST_BODY)
      const html = quickly(() => renderMarkdown(source), source)
      assert.ok(html.length < MOST_HTML, `${html.length} characters of HTML for ${source.slice(0, 40)}`)
      quickly(() => excerpt(html, 200), source)
    }
  })
}

test('colouring code takes bounded time in every language', () => {
  for (const language of Object.keys(languages)) {
    for (const unit of ['a\n', 'select new ', '"""', '{%', '= <']) {
      const lines =
        fill(unit)
          .slice(0, 5_900)
          .match(/[^\n]{1,150}/g) ?? []
      const source = `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``
      quickly(() => renderMarkdown(source), source)
    }
  }
})

test('any short text, repeated to the longest post, takes bounded time and nests boundedly', () => {
  const part = fc.constantFrom(
    ...[
      '>',
      '- ',
      '1. ',
      '* ',
      '\t',
      '    ',
      '\n',
      '\n\n',
      '[',
      ']',
      '(',
      ')',
      '![',
      '](',
      '*',
      '**',
      '_',
      '~~',
      '`',
      '```\n',
    ],
    ...[
      '|',
      '|-|\n',
      '<',
      '</a',
      '<!--',
      '&#',
      '\\',
      '[a]: ',
      'http://',
      'www.',
      '@',
      'a',
      'a b ',
      '"',
      '#',
      '=',
      '- [ ] ',
    ],
  )
  const unit = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  const property = fc.property(unit, unit, fc.boolean(), (one, other, isHalved) => {
    const half = one.repeat(Math.ceil(LONGEST_BODY / 2 / one.length)).slice(0, LONGEST_BODY / 2)
    const source = isHalved ? fill(other, half) : fill(one)
    const html = quickly(() => renderMarkdown(source), source)
    assert.ok(html.length < MOST_HTML, `${html.length} characters of HTML for ${source.slice(0, 40)}`)
    assert.ok(depthOf(html) <= MOST_DEPTH, `${depthOf(html)} levels for ${source.slice(0, 40)}`)
  })
  holds(property, 60)
})

/** How deep elements are within each other. */
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
 * What `act` gives, if it is quick: in time of this thread, the best of a few runs, as others may use the
 * machine.
 */
function quickly<Made>(act: () => Made, source: string): Made {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5; run += 1) {
    const before = process.threadCpuUsage()
    const made = act()
    const { user, system } = process.threadCpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
    if (best < MOST_MILLISECONDS) return made
  }
  assert.fail(`${Math.round(best)} ms for ${JSON.stringify(source.slice(0, 60))}…`)
}

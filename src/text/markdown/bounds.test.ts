import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from '../markdown.ts'
import { excerpt } from '../plain.ts'
import { fill, hostilePosts, LONGEST_BODY } from './hostile-posts-testing.ts'
import { languages } from './languages.ts'

const MOST_MILLISECONDS = 200
const MOST_HTML = 600_000

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

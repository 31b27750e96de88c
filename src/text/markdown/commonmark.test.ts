import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { render as renderMarkdown } from './pipeline.ts'

const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** Examples of https://spec.commonmark.org that we render differently on purpose, by reason. */
const differing: Readonly<Record<string, readonly number[]>> = {
  'raw HTML is shown as typed': [
    ...[21, 31, ...upTo(148, 193), 203, 310, 311, 346, 478, 479, 493, 496, 526, 538],
    ...[...upTo(615, 619), 625, ...upTo(627, 633), 645, 646],
  ],
  'images are links to them': [477, 519, 522, 533, ...upTo(574, 591), 593],
  'relative addresses are not linked': [
    ...[196, 197, 202, 205, 206, ...upTo(486, 489), 494, 497, 498, 500, 501, 502, 504, 505, 506, 524, 569],
  ],
  'other schemes than http, https and mailto are not linked': [598, 600, 601, 603],
  'addresses in running text are linked': [604, 610, 613, 614],
  'headings without words go': [79],
  'numbers of questions are linked': [64],
}

interface Example {
  readonly example: number
  readonly markdown: string
  readonly html: string
}

const file = join(import.meta.dirname, '../../../../shared/data/markdown/commonmark-spec.json')
const skip = existsSync(file) ? false : `no CommonMark examples at ${file}`

test('CommonMark is rendered as its examples say, but for what we mean to differ in', { skip }, () => {
  const examples: Example[] = JSON.parse(readFileSync(file, 'utf8'))
  const found = examples.filter(
    ({ markdown, html }) => comparable(renderMarkdown(markdown)) !== comparable(html),
  )
  const listed = Object.values(differing).flat()

  assert.ok(examples.length > 600)
  assert.deepEqual(
    found.map(({ example }) => example),
    listed.toSorted((a, b) => a - b),
  )
})

/**
 * Removes intended differences: heading levels (shifted), attributes we add, highlighting and language classes of code;
 * and normalizes equivalent syntax.
 */
function comparable(html: string): string {
  return html
    .replaceAll('&quot;', '"')
    .replaceAll('&#32;', ' ')
    .replace(/<(br|hr) \/>/g, '<$1>')
    .replace(/<(\/?)h[1-6]>/g, '<$1h>')
    .replace(/<span class="code-[a-z]+">|<\/span>/g, '')
    .replace(/ class="language-[^"]*"| rel="nofollow ugc noopener"| tabindex="0"/g, '')
    .replaceAll('<blockquote>\n</blockquote>', '<blockquote></blockquote>')
}

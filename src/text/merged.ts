import { diff3Merge } from 'node-diff3'

/**
 * Steps that comparing both texts with the one before may take: pairs of equal lines, each looked up among all lines. Some 10 ms. Texts
 * of 700 lines that all changed, with an empty one after each fourth, take 43 million.
 */
export const MAX_STEPS = 60_000_000

/**
 * Two texts that began as the same one, with the changes of both; null: both changed the same lines, or there
 * are too many equal lines to compare.
 */
export function merged(mine: string, base: string, theirs: string): string | null {
  const { start, end, middles } = withoutCommon([mine, base, theirs].map((text) => text.split('\n')))
  const [ours = [], origin = [], others = []] = middles
  if (mergeSteps(origin, ours) + mergeSteps(origin, others) > MAX_STEPS) return null
  const regions = diff3Merge(ours, origin, others, { excludeFalseConflicts: true })
  const lines = regions.map(({ ok }) => ok)
  if (!lines.every((part) => part !== undefined)) return null
  return [...start, ...lines.flat(), ...end].join('\n')
}

/** Lines that all texts begin and end with, and what is between them. */
function withoutCommon(texts: readonly (readonly string[])[]) {
  const [first = []] = texts
  const shortest = Math.min(...texts.map((lines) => lines.length))
  let [start, end] = [0, 0]
  while (start < shortest && texts.every((lines) => lines[start] === first[start])) start += 1
  while (end < shortest - start && texts.every((lines) => lines.at(-1 - end) === first.at(-1 - end))) end += 1
  return {
    start: first.slice(0, start),
    end: first.slice(first.length - end),
    middles: texts.map((lines) => lines.slice(start, lines.length - end)),
  }
}

/** The most steps that the library takes to find the lines that two texts share (Hunt and McIlroy, 1976). */
export function mergeSteps(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const line of other) counts.set(line, (counts.get(line) ?? 0) + 1)
  const pairs = one.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0)
  return pairs * Math.min(one.length, other.length)
}

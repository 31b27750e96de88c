import { diff3Merge } from 'node-diff3'

/** Lines of a text that is merged: comparing takes their square, where many are equal. */
const MAX_LINES = 1_500

/**
 * Two texts that began as the same one, with the changes of both.
 * @returns null where both changed the same lines, or the texts have too many
 */
export function merged(mine: string, base: string, theirs: string): string | null {
  const texts = [mine, base, theirs].map((text) => text.split('\n'))
  const [ours = [], origin = [], others = []] = texts
  if (texts.some((lines) => lines.length > MAX_LINES)) return null
  const regions = diff3Merge(ours, origin, others, { excludeFalseConflicts: true })
  const lines = regions.map(({ ok }) => ok)
  return lines.every((part) => part !== undefined) ? lines.flat().join('\n') : null
}

/**
 * Classes of documents by state and score: search_documents.places (db/schema/tables/09_finding.sql). A class is
 * a level of score, or a range of 4 or 16 of them, of documents in one state or in any, of the forum or of one course. "As
 * good as this or better" is then said with a few classes, and an index that has words and classes answers "these words
 * among the best" without touching the others.
 */
const LEVELS = 64
const STATES = [0, 1, 2, 3] as const
const ANY_STATE = 4
/** Of one state: 64 levels, then 16 ranges of four, then 4 ranges of sixteen. */
const RANGES = [
  { size: 16, first: 80 },
  { size: 4, first: 64 },
  { size: 1, first: 0 },
] as const
const PER_STATE = 84
const PER_SCOPE = 512

/** How many documents of the forum have each state and level, by the class's number, as last counted. */
export type ClassCounts = ReadonlyMap<number, number>

/** What begins the terms under which search_terms keeps how many documents a class has; its blank tells it from words. */
export const PLACE_PREFIX = 'place '
export const PLACE_TERMS: readonly string[] = STATES.flatMap((state) =>
  Array.from({ length: LEVELS }, (_, level) => `${PLACE_PREFIX}${state * PER_STATE + level}`),
)

/**
 * The classes of the best documents: about a share of all, in the states asked for; null: all there are, so that naming them would
 * only cost time. `isWhole`: no document of this scope and these states is in another class.
 * @param share of all documents in whatever state; from 1 on: each of these states
 * @param scope the whole forum, or some courses
 */
export function bestPlaces(
  counts: ClassCounts,
  share: number,
  scope: 'forum' | readonly number[],
  states: readonly number[],
) {
  const isAnyState = states.length === STATES.length
  const lowest = lowestLevel(counts, share, states)
  const isWhole = lowest === 0
  if (isWhole && scope === 'forum' && isAnyState) return { classes: null, isWhole }
  const ranges = rangesFrom(lowest)
  const classes = (isAnyState ? [ANY_STATE] : states).flatMap((state) =>
    ranges.map((range) => state * PER_STATE + range),
  )
  const courses = scope === 'forum' ? [0] : scope
  return { classes: courses.flatMap((course) => classes.map((one) => course * PER_SCOPE + one)), isWhole }
}

function lowestLevel(counts: ClassCounts, share: number, states: readonly number[]): number {
  if (share >= 1) return 0
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let held = 0
  let level = LEVELS
  while (level > 0 && held < share * total) {
    level -= 1
    held += states.reduce((sum, state) => sum + (counts.get(state * PER_STATE + level) ?? 0), 0)
  }
  return level
}

/** The fewest ranges that together hold this level and each one above it. */
function rangesFrom(lowest: number): number[] {
  const ranges: number[] = []
  let end = LEVELS
  for (const { size, first } of RANGES) {
    while (end - size >= lowest) {
      end -= size
      ranges.push(first + end / size)
    }
  }
  return ranges
}

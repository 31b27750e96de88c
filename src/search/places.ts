/**
 * Classes of documents by state and score: search_documents.places (db/migrations/011_search_places.sql). A class has a
 * number for the whole forum, 0 to 255, and one for its course.
 */
const LEVELS = 64
const STATES = [0, 1, 2, 3] as const
const CLASSES = LEVELS * STATES.length

/** How many documents are in each class of the forum, as last counted. */
export type ClassCounts = ReadonlyMap<number, number>

/** What begins the terms under which search_terms keeps how many documents a class has; its blank tells it from words. */
export const PLACE_PREFIX = 'place '
export const PLACE_TERMS: readonly string[] = Array.from(
  { length: CLASSES },
  (_, place) => `${PLACE_PREFIX}${place}`,
)

/** Whose classes: the whole forum's, or those of some courses. */
export type PlaceScope = 'forum' | readonly number[]

/**
 * The best classes that together hold a share of all documents, in the states asked for.
 * @param share 0 to 1, of all documents in whatever state
 * @returns null: all of them are needed, so that naming them would only cost time
 */
export function bestPlaces(
  counts: ClassCounts,
  share: number,
  scope: PlaceScope,
  states: readonly number[],
): number[] | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const isNarrowed = scope !== 'forum' || states.length < STATES.length
  let held = 0
  let level = LEVELS
  while (level > 0 && held < share * total) {
    level -= 1
    held += states.reduce((sum, state) => sum + (counts.get(state * LEVELS + level) ?? 0), 0)
  }
  if (level === 0 && !isNarrowed) return null
  const levels = Array.from({ length: LEVELS - level }, (_, index) => level + index)
  const classes = states.flatMap((state) => levels.map((one) => state * LEVELS + one))
  return scope === 'forum' ? classes : scope.flatMap((course) => classes.map((one) => course * CLASSES + one))
}

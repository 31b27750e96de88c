/** Where the one right document is in a ranking, counted from 1; null: not in it. */
export type Place = number | null

/** How well rankings find their one right document (Voorhees 1999; Manning et al., Introduction to Information Retrieval, 8.4). */
export interface Recall {
  readonly queries: number
  /** Mean of 1/place, 0 beyond the tenth. */
  readonly mrr10: number
  readonly recall5: number
  readonly recall10: number
}

export function recallOf(places: readonly Place[]): Recall {
  const within = (size: number) => places.filter((place) => place !== null && place <= size)
  const share = (size: number) => within(size).length / Math.max(places.length, 1)
  const reciprocal = within(10).reduce((sum: number, place) => sum + 1 / (place ?? 1), 0)
  return {
    queries: places.length,
    mrr10: reciprocal / Math.max(places.length, 1),
    recall5: share(5),
    recall10: share(10),
  }
}

export function placeOf(ids: readonly number[], right: number): Place {
  const index = ids.indexOf(right)
  return index < 0 ? null : index + 1
}

export const three = (value: number) => value.toFixed(3)

/** Numbers that are the same in every run (a linear congruential generator, Numerical Recipes): benchmarks repeat. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

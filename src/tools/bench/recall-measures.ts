/** The rank of the one relevant document, from 1; null: not found. */
export type Rank = number | null

/**
 * Quality of rankings with one relevant document each (Voorhees 1999; Manning et al., Introduction to Information
 * Retrieval, 8.4).
 */
export interface Recall {
  readonly queries: number
  /** The share of which it is the first. */
  readonly first: number
  /** Mean of 1/rank, 0 beyond the tenth. */
  readonly mrr10: number
  readonly recall5: number
  readonly recall10: number
}

export function recallOf(ranks: readonly Rank[]): Recall {
  const within = (size: number) => ranks.filter((place) => place !== null && place <= size)
  const share = (size: number) => within(size).length / Math.max(ranks.length, 1)
  const reciprocal = within(10).reduce((sum: number, place) => sum + 1 / (place ?? 1), 0)
  return {
    queries: ranks.length,
    first: share(1),
    mrr10: reciprocal / Math.max(ranks.length, 1),
    recall5: share(5),
    recall10: share(10),
  }
}

export function rankOf(ids: readonly number[], right: number): Rank {
  const index = ids.indexOf(right)
  return index < 0 ? null : index + 1
}

export const three = (value: number) => value.toFixed(3)

/**
 * A number of a figure. 'few': it would show fewer than five people. null: there is nothing to measure.
 *
 * What keeps differences from showing them either: ranges are whole weeks; a week in which fewer than five people asked is in no
 * figure, so that two ranges differ by five people or by nobody; and the numbers of lectures and hours, which are finer than
 * weeks, are rounded to fives.
 */
export type Cell = number | 'few' | null

export const FEWEST_PEOPLE = 5

/** To the nearest five, and never to nothing. */
export function roundedToFive(count: number): number {
  return count === 0 ? 0 : Math.max(5, Math.round(count / 5) * 5)
}

/** A percentile by linear interpolation, like PostgreSQL's percentile_cont. @param sorted ascending @param share 0 to 1 */
export function percentile(sorted: Float64Array, share: number): number | null {
  const place = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

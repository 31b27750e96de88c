/**
 * A number about how people behave, which no list shows: hours, waits. 'few': it would show fewer than five people. null: there is
 * nothing to measure.
 *
 * What staff can count in a list (questions, answers, what waits, is resolved or was answered within a day; by period or lecture)
 * is a plain number, exact and never withheld.
 *
 * What keeps differences of cells from showing fewer either: a cell is of whole blocks of weeks (periods.ts), so that any two
 * differ by five people or by no one; and numbers of hours, which are finer than weeks, are rounded to fives.
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

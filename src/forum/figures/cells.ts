/**
 * A number of a figure. 'few': it would show fewer than five people. null: there is nothing to measure.
 *
 * What keeps differences from showing them either: ranges are whole weeks; a week in which fewer than five people asked is in no
 * figure, so that two ranges differ by five people or by nobody; and the numbers of lectures and hours, which are finer than
 * weeks, are rounded to fives.
 */
export type Cell = number | 'few' | null

export const FEWEST_PEOPLE = 5

/** @param people whom the number is about, more than once perhaps */
export function cellOf(people: readonly number[], value: () => number | null): Cell {
  if (people.length === 0) return value()
  return isFew(people) ? 'few' : value()
}

/** Whether these are some people, but fewer than may be shown. */
export function isFew(people: readonly number[]): boolean {
  return people.length > 0 && new Set(people).size < FEWEST_PEOPLE
}

/** To the nearest five, and never to nothing. */
export function roundedToFive(count: number): number {
  return count === 0 ? 0 : Math.max(5, Math.round(count / 5) * 5)
}

/** A percentile of numbers by linear interpolation, like PostgreSQL's percentile_cont. @param share 0 to 1 */
export function percentile(numbers: readonly number[], share: number): number | null {
  const sorted = numbers.toSorted((one, other) => one - other)
  const place = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  if (below === undefined || above === undefined) return null
  return below + (above - below) * (place - Math.floor(place))
}

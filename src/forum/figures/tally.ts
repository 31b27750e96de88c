/** A number of things, and whose they are, each once: as soon as those are FEWEST_PEOPLE, no more are kept. */
export interface Tally {
  readonly count: number
  readonly people: readonly number[]
}

export const NOTHING: Tally = { count: 0, people: [] }

/** @param people whose they are, once per thing */
export function tallyOf(people: readonly number[], count = people.length): Tally {
  return { count, people: [...new Set(people)].slice(0, FEWEST_PEOPLE) }
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const people = tallies.flatMap((tally) => tally.people)
  const count = tallies.reduce((sum, tally) => sum + tally.count, 0)
  return tallyOf(people, count)
}

/** A cell about these people: what `value` gives, unless it would show fewer than five. */
export function cellOf(tally: Tally, value: () => number | null): Cell {
  return isFew(tally) ? 'few' : value()
}

/** Whether these are some people, but fewer than may be shown. */
export function isFew({ people }: Tally): boolean {
  return people.length > 0 && people.length < FEWEST_PEOPLE
}

export type Samples = ReturnType<typeof samplesOf>

/** Measured values, in ascending order, and whose they are: all of them, as weeks are joined by people (periods.ts). */
export function samplesOf(measured: readonly { readonly value: number; readonly person: number }[]) {
  return {
    values: Float64Array.from(measured, ({ value }) => value).sort(),
    people: [...new Set(measured.map(({ person }) => person))],
  }
}

/** The values of all of them, in ascending order. */
export function valuesOf(parts: readonly Samples[]): Float64Array {
  return Float64Array.from(parts.flatMap(({ values }) => [...values])).sort()
}

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

import { FEWEST_PEOPLE } from './cells.ts'
import { dayAfter } from './weeks.ts'

/** What a row of the figures is about: whole weeks of a month or a quarter, or all of the range. */
export const UNITS = ['week', 'month', 'quarter', 'range'] as const
export type Unit = (typeof UNITS)[number]
/** Those that are the same whatever the range. */
const CALENDAR_UNITS = ['week', 'month', 'quarter'] as const

/** A week, and whom a number about it would be about. */
export interface PeopledWeek {
  readonly monday: string
  readonly people: readonly number[]
}

/** Weeks, as Mondays in ascending order, that are only shown together. They need not follow each other. */
export type Block = readonly string[]

/** Weeks of the same period, each a group. A week is in the month and the quarter of its Thursday. */
export function periodsOf<Week extends { readonly monday: string }>(
  unit: Unit,
  weeks: readonly Week[],
): Week[][] {
  return [...Map.groupBy(weeks, ({ monday }) => periodOf(unit, monday)).values()]
}

/**
 * The narrowest unit in which five people or more asked in at least half of the periods in which someone did; 'week' if no one
 * asked at all.
 * @param weeks of the range
 */
export function unitOf(weeks: readonly PeopledWeek[]): Unit {
  const asked = weeks.filter(({ people }) => people.length > 0)
  const fits = (unit: Unit) => {
    const periods = periodsOf(unit, asked)
    return periods.filter(isEnough).length * 2 >= periods.length
  }
  return CALENDAR_UNITS.find(fits) ?? 'range'
}

/**
 * Weeks joined until five people are in each block: a week by itself, then the rest of a month, the rest of a quarter, and what is
 * left, oldest first. They depend on no range. A number is of whole blocks, so that any two numbers, of whatever ranges and periods,
 * differ by five people or by no one.
 * @param weeks all that the course has, ascending
 * @returns without the weeks that nothing joins yet
 */
export function blocksOf(weeks: readonly PeopledWeek[]): Block[] {
  const blocks: Block[] = []
  let left = weeks.filter(({ people }) => people.length > 0)
  for (const unit of CALENDAR_UNITS) {
    const periods = periodsOf(unit, left)
    blocks.push(...periods.filter(isEnough).map(mondaysIn))
    left = periods.filter((period) => !isEnough(period)).flat()
  }
  let open: PeopledWeek[] = []
  for (const week of left) {
    open.push(week)
    if (!isEnough(open)) continue
    blocks.push(mondaysIn(open))
    open = []
  }
  return blocks
}

/** The weeks of the blocks that are wholly among these. */
export function weeksShown(blocks: readonly Block[], mondays: ReadonlySet<string>): string[] {
  return blocks.filter((block) => block.every((monday) => mondays.has(monday))).flat()
}

function periodOf(unit: Unit, monday: string): string {
  const thursday = dayAfter(monday, 3)
  const [year, month] = [thursday.slice(0, 4), Number(thursday.slice(5, 7))]
  return { week: monday, month: `${year}-${month}`, quarter: `${year} ${Math.ceil(month / 3)}`, range: '' }[
    unit
  ]
}

function isEnough(weeks: readonly PeopledWeek[]): boolean {
  return new Set(weeks.flatMap(({ people }) => people)).size >= FEWEST_PEOPLE
}

const mondaysIn = (weeks: readonly PeopledWeek[]) => weeks.map(({ monday }) => monday)

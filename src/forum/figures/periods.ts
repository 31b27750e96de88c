import { z } from 'zod'
import { optional } from '../../kernel/fields.ts'
import { isDay } from '../../text/dates.ts'
import { type FormState, form, refuse } from '../../web/form.ts'
import { FEWEST_PEOPLE } from './tally.ts'

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
export function periodsOf<Week extends { readonly monday: string }>(unit: Unit, weeks: readonly Week[]) {
  return [...Map.groupBy(weeks, ({ monday }) => periodOf(unit, monday)).values()]
}

/**
 * The narrowest unit in which five people or more asked in at least half of the periods in which someone did;
 * 'week' if no one asked at all.
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

/** What is shown unless a range is asked for. */
export const USUAL_WEEKS = 12
/** A longer range could not be drawn. */
const MAX_WEEKS = 522
/** No forum is older, and no course is planned for later. */
const [FIRST_DAY, LAST_DAY] = ['2000-01-01', '2099-12-31']

const day = z
  .string()
  .refine((text) => isDay(text.trim()), { error: 'figures.range.noDay', abort: true })
  .transform((text) => text.trim())
  .refine((text) => text >= FIRST_DAY && text <= LAST_DAY, { error: 'figures.range.years' })

const rangeForm = form({ from: optional(day), to: optional(day) })

/**
 * The weeks of a query's `from` and `to`, or what is wrong with it; the last twelve weeks where these are
 * left out.
 * @param query `from` and `to` are days
 * @param today in the course
 */
export function readRange(query: unknown, today: string): FormState & { readonly weeks: Weeks | null } {
  const read = rangeForm.parse(query)
  if (!read.ok) return { ...read, weeks: null }
  const to = read.values.to ?? today
  const from = read.values.from ?? usualBeginning(to)
  const later = read.values.to === null ? 'from' : 'to'
  if (from > to) return { ...refuse(read, later, 'figures.range.backwards'), weeks: null }
  const weeks = weeksBetween(from, to)
  if (weeks.count > MAX_WEEKS) return { ...refuse(read, 'from', 'figures.range.tooLong'), weeks: null }
  return { typed: { from: weeks.from, to: weeks.to }, errors: [], weeks }
}

export function usualBeginning(to: string): string {
  return dayAfter(to, -7 * (USUAL_WEEKS - 1))
}

/** A first day, or the first one from which a range may reach until `to`. */
export function earliestBeginning(first: string, to: string): string {
  const [beginning] = [first, dayAfter(to, -7 * (MAX_WEEKS - 1)), FIRST_DAY].sort().toReversed()
  return beginning !== undefined && beginning <= to ? beginning : to
}

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/** Whole weeks, Monday to Sunday; days as `2026-11-16`, in the course's time zone. */
export interface Weeks {
  readonly from: string
  readonly to: string
  readonly count: number
}

export function weeksBetween(from: string, to: string): Weeks {
  const monday = mondayOf(from)
  const sunday = dayAfter(mondayOf(to), WEEK_DAYS - 1)
  return { from: monday, to: sunday, count: (daysOf(sunday) - daysOf(monday) + 1) / WEEK_DAYS }
}

export function mondaysOf({ from, count }: Weeks): string[] {
  return Array.from({ length: count }, (_, week) => dayAfter(from, week * WEEK_DAYS))
}

/** Weeks that follow each other, together. @param mondays ascending */
export function spansOf(mondays: readonly string[]): Pick<Weeks, 'from' | 'to'>[] {
  const spans: { from: string; to: string }[] = []
  for (const monday of mondays) {
    const sunday = dayAfter(monday, WEEK_DAYS - 1)
    const last = spans.at(-1)
    if (last !== undefined && dayAfter(last.to, 1) === monday) last.to = sunday
    else spans.push({ from: monday, to: sunday })
  }
  return spans
}

/** @param days may be negative */
export function dayAfter(day: string, days: number): string {
  return new Date((daysOf(day) + days) * DAY_MS).toISOString().slice(0, 10)
}

export function dayIn(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at)
  return isDay(parts) ? parts : at.toISOString().slice(0, 10)
}

function mondayOf(day: string): string {
  // 1970-01-01 was a Thursday, the fourth day of its week.
  return dayAfter(day, -((daysOf(day) + 3) % WEEK_DAYS))
}

function daysOf(day: string): number {
  return Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY_MS)
}

import { isDay } from '../../text/day.ts'

const DAY_MS = 86_400_000
const WEEK_DAYS = 7

/** Whole weeks, Monday to Sunday; days as `2026-11-16`, in the course's time zone. */
export interface Weeks {
  /** A Monday. */
  readonly from: string
  /** A Sunday. */
  readonly to: string
  readonly count: number
}

/** The weeks that these two days are in, and all between them. */
export function weeksBetween(from: string, to: string): Weeks {
  const monday = mondayOf(from)
  const sunday = dayAfter(mondayOf(to), WEEK_DAYS - 1)
  return { from: monday, to: sunday, count: (daysOf(sunday) - daysOf(monday) + 1) / WEEK_DAYS }
}

/** The Mondays of all the weeks, in order. */
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

/** The day that a moment is in a time zone. */
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

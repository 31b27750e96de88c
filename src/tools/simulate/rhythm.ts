import type { Random } from '../generate/random.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const WEEK_MS = 7 * DAY_MS

/** How much is asked in each hour of a day: little at night, most in the evening. */
const HOURS = [2, 1, 1, 0, 0, 0, 1, 2, 4, 6, 7, 7, 6, 6, 7, 7, 6, 5, 7, 9, 11, 12, 9, 5] as const
/** How much is asked on each day, from Monday; exercises are due on Sunday at midnight. */
const DAYS = [8, 8, 9, 9, 7, 9, 15] as const
const DUE_HOURS = [6 * 24 + 18, 7 * 24] as const
const BEFORE_DUE = 2
/** A larger exercise is due at the end of every fourth week. */
const LARGE_WEEKS = 4
const BEFORE_LARGE = 1.8

/** The times of that many questions, in order, as milliseconds from the Monday on which the course begins. */
export function askTimes(random: Random, count: number, weeks: number): number[] {
  const perWeek = Array.from({ length: 168 }, (_, hour) => weightOf(hour))
  const everyHour = Array.from({ length: weeks }, (_, week) =>
    perWeek.map((weight) => weight * ((week + 1) % LARGE_WEEKS === 0 ? BEFORE_LARGE : 1)),
  ).flat()
  const total = everyHour.reduce((sum, weight) => sum + weight, 0)
  return Array.from({ length: count }, () => {
    let rest = random.next() * total
    const hour = everyHour.findIndex((weight) => {
      rest -= weight
      return rest < 0
    })
    return (hour + random.next()) * HOUR_MS
  }).toSorted((one, other) => one - other)
}

/** Some time later, when people are awake: half of the delays are shorter than the median, a few are many times longer. */
export function later(random: Random, from: number, medianMs: number): number {
  // Box and Muller: a normal number, for a log-normal delay.
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
  const at = from + medianMs * Math.exp(normal)
  const hour = (at % DAY_MS) / HOUR_MS
  return hour < 7 ? at + (7 - hour + random.next()) * HOUR_MS : at
}

function weightOf(hourOfWeek: number): number {
  const isBeforeDue = hourOfWeek >= DUE_HOURS[0] && hourOfWeek < DUE_HOURS[1]
  const day = DAYS[Math.floor(hourOfWeek / 24)] ?? 0
  return day * (HOURS[hourOfWeek % 24] ?? 0) * (isBeforeDue ? BEFORE_DUE : 1)
}

import { isDay } from '../../text/dates.ts'

/** How far ahead something can be put off. */
const MAX_DAYS = 366
const DAY_MS = 24 * 3_600_000

/**
 * A day that somebody typed, such as 2026-12-01, if it is one and comes after today, within a year.
 * @param today as formatDay writes it: 2026.11.22
 */
export function futureDay(typed: string, today: string): string | null {
  if (!isDay(typed)) return null
  const ahead = (Date.parse(typed) - Date.parse(today.replaceAll('.', '-'))) / DAY_MS
  return ahead > 0 && ahead <= MAX_DAYS ? typed : null
}

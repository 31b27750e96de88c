/** How far ahead something can be put off. */
const MAX_DAYS = 366
const DAY_MS = 24 * 3_600_000

/**
 * A day that somebody typed, such as 2026-12-01, if it is one and comes after today, within a year.
 * @param today as formatDay writes it: 2026.11.22
 */
export function futureDay(typed: string, today: string): string | null {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(typed) ? new Date(`${typed}T00:00:00Z`) : null
  if (day === null || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== typed) return null
  const ahead = (day.getTime() - new Date(`${today.replaceAll('.', '-')}T00:00:00Z`).getTime()) / DAY_MS
  return ahead > 0 && ahead <= MAX_DAYS ? typed : null
}

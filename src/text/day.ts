/**
 * Whether a text is a day of the calendar, such as `2026-12-01`, in the years 1000 to 2999: `2026-02-30` is none. PostgreSQL refuses a
 * date that is none, and one of the year 0.
 */
export function isDay(text: string): boolean {
  const at = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

/** A day, `2026-11-27`, as pages write it: `27 Nov 2026`; in Korean `2026.11.27`. Without its year: `27 Nov`, `11.27`. */
export function writtenDay(day: string, language: string, withYear = true): string {
  const [year, ...rest] = day.split('-')
  if (language === 'ko') return [...(withYear ? [year] : []), ...rest].join('.')
  const date = `${Number(rest[1])} ${MONTHS[Number(rest[0]) - 1] ?? ''}`
  return withYear ? `${date} ${year}` : date
}

const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en-US', { month: 'short', timeZone: 'UTC' }).format(Date.UTC(2024, month, 1)),
)

/**
 * Whether a text is a day of the calendar, such as `2026-12-01`, in the years 1000 to 2999: `2026-02-30` is none. PostgreSQL refuses a
 * date that is none, and one of the year 0.
 */
export function isDay(text: string): boolean {
  const at = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  return at !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

import type { Write } from '../../database/schema.ts'
import { refusal } from '../../kernel/problem.ts'
import type { Person } from '../../kernel/rights/person.ts'
import { formatDay, isDay, isoDay } from '../../text/dates.ts'

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

/**
 * Until when something of a question holds, in the time zone of who says so, or of the course. @param typed a day, or in how many days
 * @throws Refused for what is no day ahead
 */
export async function dayAhead(
  write: Write,
  { person, courseId }: { readonly person: Person; readonly courseId: number },
  typed: string | number,
): Promise<{ readonly day: string; readonly timeZone: string }> {
  const course = write.selectFrom('courses').select('time_zone').where('id', '=', courseId)
  const timeZone = person.timeZone ?? (await course.executeTakeFirstOrThrow()).time_zone
  const named = typeof typed === 'string' ? typed : isoDay(new Date(Date.now() + typed * DAY_MS), timeZone)
  const day = futureDay(named, formatDay(new Date(), timeZone))
  if (day === null) throw refusal('until', 'desk.pin.day')
  return { day, timeZone }
}

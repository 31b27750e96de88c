import { formatDay, formatMoment } from './dates.ts'

/** A time for `<time>`: views/components/_time.eta. */
export interface Moment {
  /** For `datetime`: the exact instant. */
  readonly iso: string
  readonly text: string
  /** Date, time and time zone, for `title`. */
  readonly title: string
  /** The time zone it is shown in: `Asia/Seoul`. */
  readonly zone: string
  /** What is read instead of `text`; undefined: date and time in words (src/messages/spoken-moment.ts). */
  readonly spoken?: string
  /** Where what was written then came from: said with the title. */
  readonly origin?: string
}

/** Age in the largest fitting unit. */
export interface Age {
  readonly unit: 'now' | 'minutes' | 'hours' | 'days'
  readonly count: number
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Older times are shown as dates. */
const OLDEST_AGE_MS = 7 * DAY_MS

/** Day and time: `2026.11.21 14:05`. */
export function momentOf(at: Date, timeZone: string): Moment {
  const text = formatMoment(at, timeZone)
  return { iso: at.toISOString(), text, title: `${text} ${timeZone}`, zone: timeZone }
}

/** The date alone, `2026.11.21`; the time of day is in the title. */
export function dayOf(at: Date, timeZone: string): Moment {
  return {
    iso: at.toISOString(),
    text: formatDay(at, timeZone),
    title: `${formatMoment(at, timeZone)} ${timeZone}`,
    zone: timeZone,
  }
}

/** The age at `now`; null: seven days or more. A time slightly in the future counts as now. */
export function ageOf(at: Date, now: Date): Age | null {
  const age = now.getTime() - at.getTime()
  if (age >= OLDEST_AGE_MS) return null
  if (age >= DAY_MS) return { unit: 'days', count: Math.floor(age / DAY_MS) }
  if (age >= HOUR_MS) return { unit: 'hours', count: Math.floor(age / HOUR_MS) }
  if (age >= MINUTE_MS) return { unit: 'minutes', count: Math.floor(age / MINUTE_MS) }
  return { unit: 'now', count: 0 }
}

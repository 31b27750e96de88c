import { LRUCache } from 'lru-cache'
import { atMost, remembered } from './words/remembered.ts'

/** Zones that the engine still lists under a name which the tz database has since replaced; both are accepted. */
const CURRENT_NAMES: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** Pages show the same times again and again: by minute and zone. */
const moments = new LRUCache<string, string>(atMost(20_000))
const MINUTE_MS = 60_000
const DAY_LENGTH = '2026.11.21'.length

/** Day and time in a zone: `2026.11.21 14:05`. @throws RangeError for an unknown zone or an invalid date */
export function formatMoment(at: Date, timeZone: string): string {
  const key = `${Math.floor(at.getTime() / MINUTE_MS)} ${timeZone}`
  const known = moments.get(key)
  if (known !== undefined) return known
  const { year, month, day, hour, minute } = partsOf(at, timeZone)
  const made = `${year}.${month}.${day} ${hour}:${minute}`
  moments.set(key, made)
  return made
}

/** Day in a zone: `2026.11.21`. @throws RangeError for an unknown zone or an invalid date */
export function formatDay(at: Date, timeZone: string): string {
  return formatMoment(at, timeZone).slice(0, DAY_LENGTH)
}

/** The same as forms send it: `2026-11-21`. */
export function isoDay(at: Date, timeZone: string): string {
  return formatDay(at, timeZone).replaceAll('.', '-')
}

/** Whether a name is a time zone of the tz database (`Asia/Seoul`, `UTC`); bare offsets such as +09:00 are not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    formatterOf(name)
    return true
  } catch {
    return false
  }
}

/** All time zones to choose from, sorted, under their current names. */
export function timeZones(): string[] {
  const names = Intl.supportedValuesOf('timeZone').map((name) => CURRENT_NAMES[name] ?? name)
  return [...new Set([...names, 'UTC'])].sort()
}

function partsOf(at: Date, timeZone: string) {
  const parts = { year: '', month: '', day: '', hour: '', minute: '' }
  for (const { type, value } of formatterOf(timeZone).formatToParts(at))
    if (type in parts) parts[type as keyof typeof parts] = value
  return parts
}

/** Creating a formatter costs about a thousand times as much as using it; there are some 600 zones. */
const formatterOf = remembered(
  (timeZone) =>
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  700,
)

/**
 * Whether a text is a day of the calendar, such as `2026-12-01`, in the years 1000 to 2999: `2026-02-30` is
 * none. PostgreSQL refuses a date that is none, and one of the year 0.
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

const UNITS = { m: 60_000, h: 60 * 60_000, d: 24 * 60 * 60_000 } as const

/** A number of minutes, hours or days such as `90m`, `6h`, `1d`, in milliseconds; null: it is none. */
export function readDuration(text: string): number | null {
  const [, number, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? []
  return number === undefined ? null : Number(number) * UNITS[unit as keyof typeof UNITS]
}

/** A duration in milliseconds as an operator reads it: `40 min`, `6 h`, `3 days`. */
export function durationText(ms: number): string {
  if (ms < 2 * UNITS.h) return `${Math.max(0, Math.round(ms / UNITS.m))} min`
  return ms < 2 * UNITS.d ? `${Math.round(ms / UNITS.h)} h` : `${Math.round(ms / UNITS.d)} days`
}

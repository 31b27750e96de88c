import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { timeZones } from '../text/dates.ts'
import type { Language } from './language.ts'

/** A time zone as people look for it. */
export interface ZoneName {
  /** Its name in the tz database: `Asia/Seoul`. */
  readonly value: string
  /** City, name and offset from UTC of today: `서울 (Asia/Seoul, UTC+9)`. */
  readonly text: string
}

const DAY_MS = 86_400_000

/** Names of a day in each language: offsets change with daylight saving time, and reading them takes a formatter for each zone. */
const known = new Map<Language, { readonly day: number; readonly names: readonly ZoneName[] }>()
let koreanCities: Readonly<Record<string, string>> | null = null

/** All time zones, by city in the order of the language. @param now whose offsets are meant */
export function zoneNames(language: Language, now: Date = new Date()): readonly ZoneName[] {
  const day = Math.floor(now.getTime() / DAY_MS)
  const made = known.get(language)
  if (made !== undefined && made.day === day) return made.names
  const { compare } = new Intl.Collator(language)
  const names = timeZones()
    .map((value) => ({ value, text: textOf(value, language, now) }))
    .sort((one, other) => compare(one.text, other.text))
  known.set(language, { day, names })
  return names
}

function textOf(zone: string, language: Language, now: Date): string {
  return zone === 'UTC' ? zone : `${cityOf(zone, language)} (${zone}, ${offsetOf(zone, now)})`
}

/** The city of a zone, by which people know it: `서울`. @param locale `ko-KR`, `en-GB` */
export function cityOfZone(zone: string, locale: string): string {
  return cityOf(zone, locale.startsWith('ko') ? 'ko' : 'en')
}

/** Korean names are from the Unicode CLDR 48 (cldr-dates-full, Unicode License v3). */
function cityOf(zone: string, language: Language): string {
  if (language === 'ko') {
    koreanCities ??= JSON.parse(readFileSync(join(import.meta.dirname, 'zone-cities-ko.json'), 'utf8'))
    const city = koreanCities?.[zone]
    if (city !== undefined) return city
  }
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
}

function offsetOf(zone: string, now: Date): string {
  const offset = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')
  return offset?.value.replace('GMT', 'UTC') ?? 'UTC'
}

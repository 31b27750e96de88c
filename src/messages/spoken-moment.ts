import { LRUCache } from 'lru-cache'
import { formatMoment } from '../text/dates.ts'
import { ageOf, type Moment, momentOf } from '../text/moment.ts'
import type { Translate } from './catalogue.ts'
import { cityOfZone } from './zone-names.ts'

/** Creating a formatter costs about a thousand times as much as using it. By locale and zone. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

/** A time in a list: its age under seven days, the date after; the title has the time itself. */
export function agedMoment(at: Date, timeZone: string, t: Translate, now: Date): Moment {
  const age = ageOf(at, now)
  const moment = momentOf(at, timeZone)
  if (age === null) return moment
  const { unit, count } = age
  return { ...moment, text: t(`time.${unit}`, { count }), spoken: t(`time.spoken.${unit}`, { count }) }
}

/** What is read where digits or an abbreviation are shown: `3 hours ago`, `18 November 2026, 17:45, Seoul time`. */
export function spokenMoment({ iso, zone, spoken }: Moment, t: Translate): string {
  if (spoken !== undefined) return spoken
  const locale = t('time.locale')
  const at = new Date(iso)
  const day = dayFormat(locale, zone).format(at)
  const time = formatMoment(at, zone).slice(-'17:45'.length)
  const where = zone === 'UTC' ? zone : t('time.spoken.zone', { city: cityOfZone(zone, locale) })
  return t('time.spoken.at', { day, time, where })
}

function dayFormat(locale: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone}`
  const known = formatters.get(key)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat(locale, {
    timeZone,
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  })
  formatters.set(key, made)
  return made
}

import { LRUCache } from 'lru-cache'
import { formatMoment, isoDay, writtenDay } from '../text/dates.ts'
import { ageOf, dayOf, type Moment, momentOf } from '../text/moment.ts'
import type { Translate } from './catalogue.ts'
import { cityOfZone } from './zone-names.ts'

/** Creating a formatter costs about a thousand times as much as using it. By locale and zone. */
const formatters = new LRUCache<string, Intl.DateTimeFormat>({ max: 200 })

/** Day and time as all but posts show them: `27 Nov 2026, 10:20`; in Korean as those do, `2026.11.27 10:20`. */
export function writtenMoment(at: Date, timeZone: string, t: Translate): Moment {
  const moment = momentOf(at, timeZone)
  if (isKorean(t)) return moment
  const text = `${englishDay(at, timeZone)}, ${timeOf(at, timeZone)}`
  return { ...moment, text, title: `${text} ${timeZone}` }
}

/**
 * The same without the time of day, which is in the title.
 * @param now leaves out its own year in English
 */
export function writtenDate(at: Date, timeZone: string, t: Translate, now?: Date): Moment {
  if (isKorean(t)) return dayOf(at, timeZone)
  return { ...writtenMoment(at, timeZone, t), text: englishDay(at, timeZone, now) }
}

/** A time in a list: its age under seven days, then `27 Nov`, with the year of another one; the title has the time itself. */
export function agedMoment(at: Date, timeZone: string, t: Translate, now: Date): Moment {
  const age = ageOf(at, now)
  if (age === null) return isKorean(t) ? momentOf(at, timeZone) : writtenDate(at, timeZone, t, now)
  const { unit, count } = age
  return {
    ...writtenMoment(at, timeZone, t),
    text: t(`time.${unit}`, { count }),
    spoken: t(`time.spoken.${unit}`, { count }),
  }
}

const isKorean = (t: Translate) => t('time.locale').startsWith('ko')

function englishDay(at: Date, timeZone: string, now?: Date): string {
  const day = isoDay(at, timeZone)
  const isOfNow = now !== undefined && isoDay(now, timeZone).slice(0, 4) === day.slice(0, 4)
  return writtenDay(day, 'en', !isOfNow)
}

const timeOf = (at: Date, timeZone: string) => formatMoment(at, timeZone).slice(-'17:45'.length)

/** What is read where digits or an abbreviation are shown: `3 hours ago`, `18 November 2026, 17:45, Seoul time`. */
export function spokenMoment({ iso, zone, spoken }: Moment, t: Translate): string {
  if (spoken !== undefined) return spoken
  const locale = t('time.locale')
  const at = new Date(iso)
  const day = dayFormat(locale, zone).format(at)
  const time = timeOf(at, zone)
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

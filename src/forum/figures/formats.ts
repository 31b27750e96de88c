import type { Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import { writtenDay } from '../../text/dates.ts'
import type { ColumnKind } from './tables.ts'

export type Formats = ReturnType<typeof formatsOf>

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

export function formatsOf(t: Translate, language: Language) {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  const group = (name: 'staff' | 'classmates') => t(`figures.group.${name}`)
  const weekdays = weekdaysOf(language)
  return {
    group,
    weekdays,
    /** With years if the days have several: `7 Sep`, `7 Sep 2025`. */
    axis(days: readonly string[]) {
      const hasYears = new Set(days.map((day) => day.slice(0, 4))).size > 1
      return days.map((day) => writtenDay(day, language, hasYears))
    },
    /** `–`: withheld. '': there is nothing to measure. */
    cell(value: string | number | null, kind: ColumnKind): string {
      if (value === null) return ''
      if (value === 'few') return '–'
      if (kind === 'day') return writtenDay(String(value), language)
      if (kind === 'group') return group(value === 'staff' ? 'staff' : 'classmates')
      if (typeof value === 'string') return value
      if (kind === 'weekday') return weekdays[value] ?? ''
      if (kind === 'seconds') return waitText(t, value)
      return kind === 'share' ? percents.format(value) : numbers.format(value)
    },
  }
}

/** In the two units that one would say it in, at most. */
function waitText(t: Translate, seconds: number): string {
  if (seconds < HOUR) return t('figures.wait.minutes', { minutes: Math.max(1, Math.round(seconds / MINUTE)) })
  if (seconds < DAY) return inTwo(t, 'hours', seconds, HOUR, MINUTE)
  return seconds < 7 * DAY
    ? inTwo(t, 'days', seconds, DAY, HOUR)
    : t('figures.wait.days', { days: Math.round(seconds / DAY), hours: 0 })
}

function inTwo(t: Translate, unit: 'hours' | 'days', seconds: number, large: number, small: number): string {
  const total = Math.round(seconds / small)
  const [many, rest] = [Math.floor((total * small) / large), total % (large / small)]
  return unit === 'hours'
    ? t('figures.wait.hours', { hours: many, minutes: rest })
    : t('figures.wait.days', { days: many, hours: rest })
}

/** From Monday. */
function weekdaysOf(language: Language): string[] {
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 2024-01-01 was a Monday.
  return Array.from({ length: 7 }, (_, day) => names.format(Date.UTC(2024, 0, 1 + day)))
}

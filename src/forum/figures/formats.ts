import type { Language } from '../../database/schema.ts'
import type { Translate } from '../../messages/catalogue.ts'
import type { ColumnKind } from './tables.ts'

/** How numbers of figures are written in a language. */
export interface Formats {
  cell(value: string | number | null, kind: ColumnKind): string
  /** `9.11`, as small as it can be. */
  shortDay(day: string): string
  group(name: 'staff' | 'classmates'): string
  /** From Monday. */
  readonly weekdays: readonly string[]
}

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

export function formatsOf(t: Translate, language: Language): Formats {
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 })
  const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  const group = (name: 'staff' | 'classmates') => t(`figures.group.${name}`)
  const weekdays = weekdaysOf(language)
  return {
    group,
    weekdays,
    shortDay: (day) => `${Number(day.slice(5, 7))}.${Number(day.slice(8, 10))}`,
    cell(value, kind) {
      if (value === null) return '–'
      if (value === 'few') return t('figures.few')
      if (kind === 'day') return String(value).replaceAll('-', '.')
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

function weekdaysOf(language: Language): string[] {
  const names = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
  // 2024-01-01 was a Monday.
  return Array.from({ length: 7 }, (_, day) => names.format(Date.UTC(2024, 0, 1 + day)))
}

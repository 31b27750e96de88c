import { tagNameOf } from '../../text/tag-name.ts'
/** What a search is narrowed to beside its words. `null`: not. */
export interface SearchFilters {
  readonly tags: readonly string[]
  /** A course's slug. */
  readonly course: string | null
  /** A lecture's number in its course. */
  readonly lecture: number | null
  /** The beginning of a display name, of a word in it or of a Korean given name: of who asked or answered. */
  readonly by: string | null
  readonly is: readonly State[]
  readonly answers: Range<number>
  readonly written: Range<Date>
}

export const STATES = ['resolved', 'unresolved', 'unanswered', 'answered'] as const
export type State = (typeof STATES)[number]

/** The states of questions (questions.state) that all of `is:` allow. */
export function statesOf({ is }: SearchFilters): number[] {
  return [0, 1, 2, 3].filter((state) => is.every((one) => STATES_OF[one].includes(state)))
}

const STATES_OF: Readonly<Record<State, readonly number[]>> = {
  resolved: [2, 3],
  unresolved: [0, 1],
  unanswered: [1, 3],
  answered: [0, 2],
}

/** From `from` on, and before `to`; null: open on that side. */
export interface Range<Value> {
  readonly from: Value | null
  readonly to: Value | null
}

export const NO_FILTERS: SearchFilters = {
  tags: [],
  course: null,
  lecture: null,
  by: null,
  is: [],
  answers: { from: null, to: null },
  written: { from: null, to: null },
}

/**
 * Reads one `name:value` of a query.
 * @returns the filters with it, or null when it is none of ours: then it is searched as a word
 */
export function readFilter(filters: SearchFilters, name: string, value: string): SearchFilters | null {
  switch (name) {
    case 'tag':
      return { ...filters, tags: [...filters.tags, tagNameOf(value)].slice(0, 5) }
    case 'course':
      return { ...filters, course: value }
    case 'lecture':
      return /^[1-9]\d{0,5}$/.test(value) ? { ...filters, lecture: Number(value) } : null
    case 'by':
      return /[\p{L}\p{N}]/u.test(value) ? { ...filters, by: value } : null
    case 'is': {
      const state = STATES.find((candidate) => candidate === value.toLowerCase())
      return state === undefined ? null : { ...filters, is: [...filters.is, state].slice(0, 4) }
    }
    case 'answers': {
      const answers = readRange(value, readCount, (count) => count + 1)
      return answers === null ? null : { ...filters, answers }
    }
    case 'written': {
      const written = readRange(value, readDay, nextPeriod(value))
      return written === null ? null : { ...filters, written }
    }
    default:
      return null
  }
}

/** `3`, `3..`, `..3`, `3..5`: both ends belong to it, so `to` is what follows the last. */
function readRange<Value>(
  text: string,
  read: (text: string) => Value | null,
  following: (value: Value) => Value,
): Range<Value> | null {
  const [first = '', last = first, ...more] = text.split('..')
  const from = first === '' ? null : read(first)
  const to = last === '' ? null : read(last)
  const isBroken = (first !== '' && from === null) || (last !== '' && to === null)
  if (isBroken || more.length > 0 || (from === null && to === null)) return null
  return { from, to: to === null ? null : following(to) }
}

function readCount(text: string): number | null {
  return /^\d{1,6}$/.test(text) ? Number(text) : null
}

/** The beginning (UTC) of a year, a month or a day: 2026, 2026-01, 2026-01-31. */
function readDay(text: string): Date | null {
  if (!/^(?:19|20|21)\d\d(?:-\d\d(?:-\d\d)?)?$/.test(text)) return null
  const at = new Date(`${text}${'-01-01'.slice(text.length - 4)}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || !at.toISOString().startsWith(text) ? null : at
}

/** The end of a range written to the day, the month or the year takes that whole day, month or year in. */
function nextPeriod(range: string): (at: Date) => Date {
  const precision = (range.split('..').at(-1) ?? '').length
  return (at) => {
    const next = new Date(at)
    if (precision <= 4) next.setUTCFullYear(at.getUTCFullYear() + 1)
    else if (precision <= 7) next.setUTCMonth(at.getUTCMonth() + 1)
    else next.setUTCDate(at.getUTCDate() + 1)
    return next
  }
}

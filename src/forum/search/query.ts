import { tagNameOf } from '../../text/tag-name.ts'
import { withoutSuffix } from '../../text/words/particles.ts'
import { allOf, type Synonyms, synonymsOf } from '../../text/words/synonyms.ts'
import { type Group, groupsOf, MAX_GROUPS, phraseOf } from './words.ts'

/** A query as it is understood. Any text is one: what makes no sense is words, and what has no word finds nothing. */
export interface SearchQuery {
  /** As typed, cut to what is read of it. */
  readonly text: string
  readonly groups: readonly Group[]
  /** Of what the groups are made; the last word may still be going on where it `isOpen`. */
  readonly words: readonly string[]
  readonly isOpen: boolean
  /** What must follow one another, and tsquery text of what must not be there. */
  readonly phrases: readonly Group[]
  readonly excluded: readonly string[]
  readonly filters: SearchFilters
  /** The text without filters and what is excluded: what it is about, as a title would say it. */
  readonly subject: string
  /** What looks like a filter and is none, as typed: it was searched for as it stands. */
  readonly unknownFilters: readonly string[]
}

/** Characters read of a query; the rest of a longer one finds nothing more. */
const MAX_QUERY_LENGTH = 300

/** `-"a phrase"`, `"a phrase"`, `name:"a value"`, `name:value`, `-word`, `word`. */
const PART = /(-?)"([^"]*)"?|([a-z]+):"([^"]*)"?|(\S+)/giu

export function parseQuery(typed: string): SearchQuery {
  const text = [...typed.normalize('NFC').replace(/[\p{Cc}]+/gu, ' ')]
    .slice(0, MAX_QUERY_LENGTH)
    .join('')
    .trim()
  const phrases: Group[] = []
  const excluded: string[] = []
  const words: string[] = []
  const unknownFilters: string[] = []
  const subject: string[] = []
  let filters = NO_FILTERS
  for (const [whole, minus, phrase, quotedName, quotedValue, word = ''] of text.matchAll(PART)) {
    if (phrase !== undefined) {
      const made = phraseOf(phrase)
      if (made !== null && minus === '-') excluded.push(made.match)
      else if (made !== null) {
        phrases.push(made)
        subject.push(phrase)
      }
      continue
    }
    const filter =
      quotedName === undefined ? /^([a-z]+):(.+)$/iu.exec(word) : [whole, quotedName, quotedValue ?? '']
    const narrowed =
      filter === null ? null : readFilter(filters, (filter[1] ?? '').toLowerCase(), filter[2] ?? '')
    if (narrowed === null && looksLikeFilter(whole)) unknownFilters.push(whole)
    if (narrowed !== null) filters = narrowed
    else if (/^-[\p{L}\p{N}@#]/u.test(word)) {
      const made = phraseOf(word.slice(1))
      if (made !== null) excluded.push(made.match)
    } else {
      words.push(filter === null || quotedName === undefined ? word : whole)
      subject.push(whole)
    }
  }
  const isOpen = !/\s$/u.test(typed) && text.endsWith(words.at(-1) ?? '\0')
  return {
    text,
    groups: groupsOf(words, isOpen).slice(0, MAX_GROUPS),
    words,
    isOpen,
    phrases,
    excluded,
    filters,
    subject: subject.join(' '),
    unknownFilters,
  }
}

/** tsquery text of all that a query looks for; '' for none. */
export function matchOf({ groups, phrases, excluded }: SearchQuery): string {
  return [...[...groups, ...phrases].map(({ match }) => match), ...excluded.map((one) => `!${one}`)].join(
    ' & ',
  )
}

export function withSynonyms(query: SearchQuery, synonyms: Synonyms): SearchQuery {
  const groups = groupsOf(query.words, query.isOpen, allOf(synonymsOf, synonyms)).slice(0, MAX_GROUPS)
  return { ...query, groups }
}

/**
 * The same query with misspelt words also as those that were meant, and what means the same as those.
 * @param synonyms those of its course; null: there are none
 */
export function withCorrections(
  query: SearchQuery,
  corrections: ReadonlyMap<string, string>,
  synonyms: Synonyms | null,
): SearchQuery {
  const all = synonyms === null ? synonymsOf : allOf(synonymsOf, synonyms)
  const meant = new Map([...corrections].map(([typed, word]) => [withoutSuffix(typed), word]))
  return withSynonyms(query, (word) => {
    const other = meant.get(word)
    return other === undefined ? all(word) : [other, ...all(other)]
  })
}

/** `foo:bar`, `is:open` and `-tag:rest`, but neither addresses nor `std::vector`, `C:\\x` or `localhost:3000`. */
function looksLikeFilter(part: string): boolean {
  return /^-?[a-z]{2,}:(?=[\p{L}\p{N}"])/iu.test(part) && !/^[a-z]+:\d+(?:\/|$)/iu.test(part)
}

/** What a search is narrowed to beside its words. `null`: not. */
export interface SearchFilters {
  readonly tags: readonly string[]
  readonly course: string | null
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

/** Whether filters ask for what leads to few questions by an index of theirs. */
export function leadsToQuestions({ lecture, by, written }: SearchFilters): boolean {
  return [lecture, by, written.from, written.to].some((value) => value !== null)
}

/** Whether filters ask for anything but a course. */
export function isNarrowed(filters: SearchFilters): boolean {
  return filters.tags.length + filters.is.length > 0 || narrowsQuestions(filters)
}

/** Whether filters ask for what only the question itself tells. */
export function narrowsQuestions({ lecture, by, answers, written }: SearchFilters): boolean {
  const asked = [lecture, by, answers.from, answers.to, written.from, written.to]
  return asked.some((value) => value !== null)
}

/**
 * Reads one `name:value` of a query.
 * @returns the filters with it, or null when it is none of ours: then it is searched as a word
 */
function readFilter(filters: SearchFilters, name: string, value: string): SearchFilters | null {
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

import { withoutSuffix } from '../../text/particles.ts'
import { allOf, type Synonyms, synonymsOf } from '../../text/synonyms.ts'
import { NO_FILTERS, readFilter, type SearchFilters } from './filters.ts'
import { type Group, groupsOf, MAX_GROUPS, phraseOf } from './groups.ts'

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

/** The same query with more words that mean the same. */
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

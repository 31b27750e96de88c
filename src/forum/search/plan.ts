import type { RawBuilder } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { isOfEnding } from '../../text/words/particles.ts'
import { isPair } from '../../text/words/terms.ts'
import { quoted, tagLexeme } from './document.ts'
import { bestPlaces } from './places.ts'
import { leadsToQuestions, narrowsQuestions, type SearchQuery, statesOf } from './query.ts'
import { type RankTerm, rankOf, rankOfWords, tellingWeight } from './rank.ts'
import { countClasses, countDocuments, type DocumentCounts, findBeginning } from './statistics.ts'
import { type Group, wholeGroup } from './words.ts'

/** Where candidates come from: documents that match, or the newest questions, whose documents then have to match. */
export interface Source {
  readonly along: 'terms' | 'questions'
  /** tsquery text of what a document must have; null: anything. */
  readonly match: string | null
  /** Only documents of these classes (places.ts); null: of all. */
  readonly places: readonly number[] | null
  /** Every document that matches is in it, where there are fewer than MAX_RANKED. */
  readonly isWhole: boolean
}

/** `match`: tsquery text; null: any document. */
export type Condition = { readonly match: string | null; readonly expected: number }

/** Documents ranked at most; fewer are counted exactly. A search that expects more looks among the best of them only. */
export const MAX_RANKED = 1000
/** How many matching documents a search wants among the best, and where that found next to nothing and each costs much. */
export const BEST = 300
const SECOND = 4000
const ALL = Number.POSITIVE_INFINITY
const BEST_OF_PHRASE = 125
const FEW_COURSES = 3

/** Where is looked at once, and what what is found there is ranked by: roughly by the terms, the best of it by the rank. */
export interface SearchStep {
  readonly sources: readonly Source[]
  readonly terms: readonly RankTerm[]
  readonly rank: RawBuilder<number>
}

/** Up to this number of expected documents they are counted, to at most MAX_RANKED, which costs less than ranking. */
const MAX_COUNTED = 2 * MAX_RANKED
/** Two words of one document are adjacent in about one document of this number. */
const IN_A_ROW = 8

/** Decides by how many documents have each lexeme of the query: small queries by primary key. */
export async function planSearch(db: Database, query: SearchQuery, courses: ReadableCourses) {
  const words = [...query.groups, ...query.filters.tags.map(tagGroup)]
  const all = [...words, ...query.phrases]
  const weighed = [...new Set(all.flatMap((group) => [...group.lexemes, ...group.required]))]
  const others = [...all.flatMap((group) => [...group.parts, ...group.alike.flat()]), ...inWays(words)]
  const counted = await countDocuments(db, [...new Set([...weighed, ...others])])
  const { counts, countOf, total } = counted
  const shareOf = (lexeme: string) => countOf(lexeme) / total
  const together = (shares: readonly number[]) => shares.reduce((product, share) => product * share, 1)
  const phrases = query.phrases.map((group) => ({
    match: group.match,
    share: together(group.required.map(shareOf)) / (group.required.length > 1 ? IN_A_ROW : 1),
  }))
  const narrow = words.map((group) => ({
    match: group.narrow,
    share: Math.min(...group.required.map(shareOf)),
  }))
  const wide = await Promise.all(
    words.map(async (group, index) => {
      const own = narrow[index]?.share ?? 0
      const alike = group.alike.reduce((sum, lexemes) => sum + together(lexemes.map(shareOf)), 0)
      const share = Math.min(1, Math.max(own, together(group.parts.map(shareOf))) + alike)
      const isCounted = group.required.every((lexeme) => counts.has(lexeme))
      // A single letter stands for the words it begins; so do the first letters of a last word that was not counted.
      if (group.prefix === null || (isCounted && [...group.prefix].length !== 1))
        return { match: group.match, share }
      const beginning = await findBeginning(db, group.prefix)
      return {
        match: `(${group.match} | ${beginning.match})`,
        share: Math.min(1, share + beginning.count / total),
      }
    }),
  )
  const excluded = query.excluded.map((match) => `!${match}`)
  const conditionOf = (parts: readonly { match: string; share: number }[]): Condition => {
    const matches = [...parts.map((part) => part.match), ...excluded]
    return {
      match: matches.length === 0 ? null : matches.join(' & '),
      expected: total * courses.share * together(parts.map((part) => part.share)),
    }
  }
  const [asWide, asNarrow] = [conditionOf([...wide, ...phrases]), conditionOf([...narrow, ...phrases])]
  const isCounted = asWide.match !== null && asWide.expected <= MAX_COUNTED && query.phrases.length === 0
  const whole: Source = { along: 'terms', match: asWide.match, places: null, isWhole: true }
  const attempts = await attemptsOf(db, query, courses, whole, asWide, asNarrow)
  const terms = weighed.map((lexeme) => ({ lexeme, weight: tellingWeight(countOf(lexeme), total) }))
  return {
    // What finds every document that the words can find, where those are few enough to count; null: nobody knows how many.
    whole: isCounted ? whole : null,
    // Made one after another until something is found.
    steps: attempts.map((sources): SearchStep => ({ sources, terms, rank: rankOf(terms) })),
    // tsquery text of what all documents have that the words can find; null: any.
    wide: asWide.match,
    counted,
    terms,
  }
}

export function inWays(groups: readonly Pick<Group, 'ways'>[]): readonly string[] {
  return groups.flatMap(({ ways }) => ways.flatMap(({ steps }) => steps.flat()))
}

function tagGroup(tag: string): Group {
  const lexeme = tagLexeme(tag)
  return wholeGroup(quoted(lexeme), [lexeme], [])
}

/**
 * Where a search looks. Few documents: in all of them. Many: the best of those with the words themselves, the best of those with
 * whatever counts as the words, and where filters lead; if that finds next to nothing, among more of them.
 * @returns sources looked in together; while they find fewer than FEW the next attempt is made
 */
async function attemptsOf(
  db: Database,
  { filters, phrases }: SearchQuery,
  courses: ReadableCourses,
  all: Source,
  wide: Condition,
  narrow: Condition,
) {
  if (wide.match !== null && wide.expected <= MAX_RANKED) return [[all]]
  const isLed = leadsToQuestions(filters)
  const newest: Source = { ...all, along: 'questions', isWhole: wide.match === null }
  // Without words the filters say it all.
  if (isLed && wide.match === null) return [[newest]]
  const best = await bestOf(db, courses, statesOf(filters))
  if (wide.expected <= MAX_RANKED) return [[best(wide, ALL)]]
  const led = isLed ? [newest] : []
  // A phrase is looked for in each document that has its words: many more than have it, so once, among fewer of them.
  if (phrases.length > 0) return [[best(wide, BEST_OF_PHRASE), ...led]]
  const itself = narrow.match === wide.match ? [] : [best(narrow, BEST)]
  return [[...itself, ...led, best(wide, BEST)], [best(wide, narrowsQuestions(filters) ? SECOND : ALL)]]
}

/** Gives the best documents that meet a condition, about as many as are wanted. */
export async function bestOf(db: Database, courses: ReadableCourses, states: readonly number[]) {
  const counts = await countClasses(db)
  const scope = courses.share < 1 && courses.ids.length <= FEW_COURSES ? courses.ids : 'forum'
  return ({ match, expected }: Condition, wanted: number): Source => {
    const { classes, isWhole } = bestPlaces(counts, wanted / Math.max(expected, 1), scope, states)
    return { along: 'terms', match, places: classes, isWhole }
  }
}

/**
 * Any of the words or what means the same, the rarest first, as many as together stay few; null: there are no words. Korean ones
 * stand together: their pairs of letters count as words only where no word is known. Phrases, tags and what is excluded still hold.
 * @param wide what documents have that have all the words; null: any
 * @returns also the terms that choose those that are worth the exact rank
 */
export function planLoosely(
  { groups, phrases, excluded, filters }: SearchQuery,
  { counts, countOf, total }: DocumentCounts,
  wide: string | null,
) {
  if (groups.length === 1 && groups.every(({ lexemes }) => lexemes.length < 3)) return null
  // Each by its ways that some document may have.
  const words = groups.flatMap((group) => {
    const ways = group.ways.filter(({ steps }) => steps.flat().every((lexeme) => counts.has(lexeme)))
    const count = Math.max(0, ...ways.map(({ steps }) => Math.min(...steps.flat().map(countOf))))
    const match = ways.map((way) => `(${way.match})`).join(' | ')
    return ways.length === 0 ? [] : [{ ways, count, match }]
  })
  const pieces = groups
    .flatMap(({ lexemes }) => lexemes)
    .filter((lexeme) => counts.has(lexeme) && !isOfEnding(lexeme))
    .filter((lexeme) => words.length === 0 || !isPair(lexeme))
  const parts = [...new Set(pieces)].map((lexeme) => ({ match: quoted(lexeme), count: countOf(lexeme) }))
  const chosen = rarest([...words, ...parts])
  if (chosen.length === 0) return null
  const some = [
    `(${chosen.map(({ match }) => match).join(' | ')})`,
    ...phrases.map((group) => group.match),
    ...filters.tags.map((tag) => quoted(tagLexeme(tag))),
    ...excluded.map((one) => `!${one}`),
  ].join(' & ')
  const match = wide === null ? some : `(${wide}) | (${some})`
  return {
    sources: [{ along: 'terms' as const, match, places: null, isWhole: true }],
    terms: [...new Set([...inWays(words), ...pieces])].map((lexeme) => ({
      lexeme,
      weight: tellingWeight(countOf(lexeme), total),
    })),
    rank: rankOfWords(words, total),
  }
}

function rarest<Word extends { readonly count: number }>(words: readonly Word[]): Word[] {
  const chosen: Word[] = []
  let documents = 0
  for (const word of words.toSorted((one, other) => one.count - other.count)) {
    documents += word.count
    if (documents > (chosen.length > 0 ? 1 : 10) * MAX_RANKED) break
    chosen.push(word)
  }
  return chosen
}

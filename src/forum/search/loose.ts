import { type RawBuilder, sql } from 'kysely'
import { isOfEnding } from '../../text/particles.ts'
import { isPair } from '../../text/terms.ts'
import { quoted, tagLexeme } from './document.ts'
import type { Group } from './groups.ts'
import type { SearchQuery } from './query.ts'
import { labelWeights, type RankTerm, tellingWeight, withBonuses } from './ranking.ts'
import { MAX_RANKED, type Source } from './sources.ts'
import type { DocumentCounts } from './statistics.ts'

/** Looking for documents that have only some words of a query. */
export interface LooseSearch {
  readonly source: Source
  /** What chooses those that are worth the exact rank. */
  readonly terms: readonly RankTerm[]
  /** First how many words document `d` has, then where they stand and how rare they are. */
  readonly rank: RawBuilder<number>
}

/** A word of a query by its ways that some document may have. */
interface LooseWord {
  readonly ways: Group['ways']
  /** About how many documents have it. */
  readonly count: number
}

/**
 * Any of the words or what means the same, the rarest first, as many as together stay few; null: there are no words. Korean ones
 * stand together: their pairs of letters count as words only where no word is known. Phrases, tags and what is excluded still hold.
 * @param wide what documents have that have all the words; null: any
 * @param begun terms that nobody counted: some document may have them
 */
export function looseSearch(
  { groups, phrases, excluded, filters }: SearchQuery,
  { counts, countOf, total }: DocumentCounts,
  wide: string | null,
  begun: ReadonlySet<string>,
): LooseSearch | null {
  if (groups.length === 1 && groups.every(({ lexemes }) => lexemes.length < 3)) return null
  const isKnown = (lexeme: string) => counts.has(lexeme) || begun.has(lexeme)
  const words: LooseWord[] = groups.flatMap((group) => {
    const ways = group.ways.filter(({ steps }) => steps.flat().every(isKnown))
    const count = Math.max(0, ...ways.map(({ steps }) => Math.min(...steps.flat().map(countOf))))
    return ways.length === 0 ? [] : [{ ways, count }]
  })
  const pieces = groups
    .flatMap(({ lexemes }) => lexemes)
    .filter((lexeme) => isKnown(lexeme) && !isOfEnding(lexeme))
    .filter((lexeme) => words.length === 0 || !isPair(lexeme))
  const match = rarest([
    ...words.map(({ ways, count }) => ({ match: ways.map((way) => `(${way.match})`).join(' | '), count })),
    ...pieces.map((lexeme) => ({ match: quoted(lexeme), count: countOf(lexeme) })),
  ])
  if (match === null) return null
  const kept = [
    ...phrases.map((group) => group.match),
    ...filters.tags.map((tag) => quoted(tagLexeme(tag))),
    ...excluded.map((one) => `!${one}`),
  ]
  const some = [match, ...kept].join(' & ')
  const lexemes = new Set([
    ...words.flatMap(({ ways }) => ways.flatMap(({ steps }) => steps.flat())),
    ...pieces,
  ])
  return {
    source: {
      along: 'terms',
      match: wide === null ? some : `(${wide}) | (${some})`,
      places: null,
      isWhole: true,
    },
    terms: [...lexemes].map((lexeme) => ({ lexeme, weight: tellingWeight(countOf(lexeme), total) })),
    rank: withBonuses(wordsRank(words, total)),
  }
}

function rarest(known: readonly { readonly match: string; readonly count: number }[]): string | null {
  const chosen: string[] = []
  let documents = 0
  for (const { match, count } of known.toSorted((one, other) => one.count - other.count)) {
    documents += count
    if (documents > MAX_RANKED && chosen.length > 0) break
    if (documents <= MAX_RANKED * 10 && !chosen.includes(`(${match})`)) chosen.push(`(${match})`)
  }
  return chosen.length === 0 ? null : `(${chosen.join(' | ')})`
}

/** One for each word, and less than one more for where all of them stand, the rarer the more. */
function wordsRank(words: readonly LooseWord[], total: number): RawBuilder<number> {
  const weights = words.map(({ count }) => tellingWeight(count, total))
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  const ways = words.flatMap(({ ways }, word) =>
    ways.map(({ match, steps }) => ({
      word,
      match,
      places: steps.flat().map(quoted).join(' | '),
      worth: (weights[word] ?? 0) / (2 * whole),
    })),
  )
  return sql<number>`coalesce((select sum(1 + place) from (
    select max(way.worth * ts_rank(${labelWeights}::real[], d.terms, way.places)) as place
    from unnest(${ways.map(({ word }) => word)}::integer[], ${ways.map(({ match }) => match)}::tsquery[],
      ${ways.map(({ places }) => places)}::tsquery[], ${ways.map(({ worth }) => worth)}::real[])
      as way (word, match, places, worth)
    where d.terms @@ way.match group by way.word) as standing), 0)`
}

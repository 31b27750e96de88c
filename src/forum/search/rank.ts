import { type RawBuilder, sql } from 'kysely'
import { quoted, tsquery } from './document.ts'
import type { Group } from './words.ts'

/**
 * What a match is worth by where it stands: title, tags, accepted answer, anything else (labels A, B, C, D). Found by
 * trying on real questions, measured in docs/bench/README.md.
 */
export const LABEL_WEIGHTS = { D: 0.2, C: 0.35, B: 0.6, A: 1 } as const

/** What is added to the text's rank, which is 0.61 to 1 when all words stand in the title and 0.12 when all stand in the body. */
export const BONUS = {
  resolved: 0.05,
  answered: 0.02,
  /** For each e-fold of votes. */
  votes: 0.02,
  /** For a question of now; half of it for one of two years ago. */
  recent: 0.03,
} as const

/** Years after which recency is worth half. */
const HALF_LIFE = 2

/** PostgreSQL's order: D, C, B, A. */
export const labelWeights = sql.lit(
  `{${LABEL_WEIGHTS.D},${LABEL_WEIGHTS.C},${LABEL_WEIGHTS.B},${LABEL_WEIGHTS.A}}`,
)

/** Puts what was found in another order, the best first, or adds to it. */
export type Ranker<Hit> = (hits: readonly Hit[]) => Promise<readonly Hit[]>

/** A lexeme to rank by, and how much it tells: rarer ones more (inverse document frequency, Spärck Jones 1972). */
export interface RankTerm {
  readonly lexeme: string
  readonly weight: number
}

/** How much a term tells that `count` of `total` documents have: 0.1 for one in all of them, up to 1 for one in a single one. */
export function tellingWeight(count: number, total: number): number {
  if (total <= 1) return 1
  const rarity = Math.log((total + 1) / (count + 0.5)) / Math.log((total + 1) / 0.5)
  return Math.min(1, Math.max(0.1, rarity))
}

/**
 * How well document `d` fits these terms: each adds its weight times ts_rank's value for where it stands (one place in a
 * title counts 0.61, more places up to 1).
 * @param labels PostgreSQL's array of weights for the labels D, C, B, A
 */
export function textRank(terms: readonly RankTerm[], labels = labelWeights) {
  // A list that PostgreSQL makes rows of for each document costs a fifth of ranking. The statements of a few numbers of terms are planned once.
  const places = Array.from({ length: Math.max(1, Math.ceil(terms.length / STEP)) * STEP }, (_, at) => {
    const { lexeme, weight } = terms[at] ?? NO_TERM
    const query = lexeme === null ? null : quoted(lexeme)
    return sql`coalesce(${weight}::real * ts_rank(${labels}::real[], d.terms, ${query}::tsquery), 0)`
  })
  return sql<number>`(${sql.join(places, sql` + `)})::real`
}

const STEP = 4
const NO_TERM = { lexeme: null, weight: 0 } as const

/** The rank of a search's hit: how well document `d` fits, whatever the number of words, and the bonuses of its question `q`. */
export function rankOf(terms: readonly RankTerm[]) {
  const whole = terms.reduce((sum, term) => sum + term.weight, 0)
  // The rough rank of a single word is the exact one.
  const fit = terms.length === 1 ? sql`found.rough` : sql`${textRank(terms)} / ${Math.max(whole, 0.1)}::real`
  return withBonuses(sql<number>`${fit}`)
}

/**
 * One for each word, and less than one more for where all of them stand, the rarer the more.
 * @param words `count`: about how many documents have it
 */
export function rankOfWords(
  words: readonly (Pick<Group, 'ways'> & { readonly count: number })[],
  total: number,
) {
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
  return withBonuses(sql<number>`coalesce((select sum(1 + place) from (
    select max(way.worth * ts_rank(${labelWeights}::real[], d.terms, way.places)) as place
    from unnest(${ways.map(({ word }) => word)}::integer[], ${ways.map(({ match }) => match)}::tsquery[],
      ${ways.map(({ places }) => places)}::tsquery[], ${ways.map(({ worth }) => worth)}::real[])
      as way (word, match, places, worth)
    where d.terms @@ way.match group by way.word) as standing), 0)`)
}

function withBonuses(fit: RawBuilder<number>): RawBuilder<number> {
  return sql<number>`(
    ${fit}
    + case when q.status = 'resolved' then ${sql.lit(BONUS.resolved)}::real when q.answers_count > 0 then ${sql.lit(BONUS.answered)}::real else 0 end
    + ${sql.lit(BONUS.votes)}::real * ln(1 + greatest(q.votes_count, 0))
    + ${sql.lit(BONUS.recent)}::real * power(0.5, greatest(extract(epoch from now() - q.written_at), 0) / ${sql.lit(HALF_LIFE * 31_557_600)}::real)
  )::real`
}

/**
 * A rank that costs a tenth: all terms alike, in one call. Of many candidates it chooses those that are worth the other
 * one, which is why that one need not be paid for thousands.
 */
export function roughRankOf(terms: readonly RankTerm[]) {
  if (terms.length === 0) return sql<number>`0::real`
  const any = terms.map((term) => quoted(term.lexeme)).join(' | ')
  return sql<number>`ts_rank(${labelWeights}::real[], d.terms, ${tsquery(any)})`
}

export const EXACTLY_RANKED = 120

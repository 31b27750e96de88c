import { type RawBuilder, sql } from 'kysely'
import { quoted, tsquery } from './document.ts'

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

/** Likeness is in the words people chose for their trouble as much as in titles: for similar questions the body counts double. */
export const similarityWeights = sql.lit('{0.4,0.4,0.6,1}')

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

/** Up to this number of terms each stands in the statement, which has places for as many as fill some of these steps. */
const MOST_PLACES = 16
const STEP = 4

/**
 * How well document `d` fits these terms: each adds its weight times ts_rank's value for where it stands (one place in a
 * title counts 0.61, more places up to 1).
 * @param labels PostgreSQL's array of weights for the labels D, C, B, A
 */
export function textRank(terms: readonly RankTerm[], labels = labelWeights) {
  if (terms.length > MOST_PLACES) {
    const queries = terms.map((term) => quoted(term.lexeme))
    const values = terms.map((term) => term.weight)
    return sql<number>`coalesce((select sum(term.weight * ts_rank(${labels}::real[], d.terms, term.query))
      from unnest(${queries}::tsquery[], ${values}::real[]) as term (query, weight)), 0)::real`
  }
  // A list that PostgreSQL makes rows of for each document costs a fifth of ranking. The statements of a few numbers of terms are planned once.
  const places = Array.from({ length: Math.max(1, Math.ceil(terms.length / STEP)) * STEP }, (_, at) => {
    const { lexeme, weight } = terms[at] ?? NO_TERM
    const query = lexeme === null ? null : quoted(lexeme)
    return sql`coalesce(${weight}::real * ts_rank(${labels}::real[], d.terms, ${query}::tsquery), 0)`
  })
  return sql<number>`(${sql.join(places, sql` + `)})::real`
}

const NO_TERM = { lexeme: null, weight: 0 } as const

/** The rank of a search's hit: how well document `d` fits, whatever the number of words, and the bonuses of its question `q`. */
export function rankOf(terms: readonly RankTerm[]) {
  const whole = terms.reduce((sum, term) => sum + term.weight, 0)
  // The rough rank of a single word is the exact one.
  const fit = terms.length === 1 ? sql`found.rough` : sql`${textRank(terms)} / ${Math.max(whole, 0.1)}::real`
  return withBonuses(sql<number>`${fit}`)
}

export function withBonuses(fit: RawBuilder<number>): RawBuilder<number> {
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

/**
 * How near questions are to a title, by its share of Hangul: English words are recognized by their stems; Korean ones have endings and
 * spaces of many kinds, so that titles are compared by pieces. Found by trying, measured in docs/bench/README.md. What likeness of
 * titles and words in common are worth, 0 to 1 each, and letters in the same order for Korean titles.
 */
const WORTH = {
  latin: { likeness: 0.05, words: 1 },
  hangul: { likeness: 1, words: 0.5 },
  letters: 0.2,
} as const
/** Whether a Korean title is about the same at all: likeness tells, or most words in common do, which count so much then. */
const KOREAN_WORDS = 0.6
const IN_ORDER = 25

/** Where the nearest ranks lower, all are about something else; for Korean titles among `from` questions, more among more. */
const FLOOR = { latin: 0.22, hangul: 0.2, rise: 0.0416, from: 100 } as const
/** A rare name in both titles makes up for the rest of the floor, from this share of it on. */
const LIFTED_FROM = 0.75
/** A question less than so near as the nearest would only distract. */
const NEAR_ENOUGH = 0.5

/** How near a question is, 0 to about 1: what the floor is of. */
export function nearnessOf(hangul: number, likeness: number, words: number): number {
  const latin = WORTH.latin.likeness * likeness + WORTH.latin.words * words
  return (1 - hangul) * latin + hangul * Math.max(likeness, KOREAN_WORDS * words)
}

/** What decides the order of those that are near. */
export function worthOf(hangul: number, likeness: number, words: number): number {
  const { latin, hangul: korean } = WORTH
  const worth = (of: typeof latin | typeof korean) => of.likeness * likeness + of.words * words
  return (1 - hangul) * worth(latin) + hangul * worth(korean)
}

type Worth = { readonly id: number; readonly title: string; readonly worth: number }

export const byWorth = (one: Worth, other: Worth) => other.worth - one.worth || other.id - one.id

/**
 * Korean titles once more, the first of them alone: by the order of their letters, too.
 * @param inOrder the share of letters that another title has in the same order
 */
export function inOrderOfLetters<Question extends Worth>(
  questions: readonly Question[],
  hangul: number,
  inOrder: (other: string) => number,
): readonly Question[] {
  if (hangul === 0) return questions
  const first = questions
    .slice(0, IN_ORDER)
    .map((one) => ({ ...one, worth: one.worth + hangul * WORTH.letters * inOrder(one.title) }))
  return [...first.sort(byWorth), ...questions.slice(IN_ORDER)]
}

/**
 * Among more questions the nearest one is nearer by chance: for Korean titles, of which likeness decides, the floor rises with
 * their number. Measured on questions without a duplicate, docs/bench/README.md.
 */
export function floorOf(hangul: number, among: number): number {
  const rising = FLOOR.hangul + FLOOR.rise * Math.log(Math.max(1, among / FLOOR.from))
  return (1 - hangul) * FLOOR.latin + hangul * rising
}

/**
 * Those worth showing: none rather than nonsense, and none far behind the nearest. If that one is about the same, so may be those that are
 * less like the title.
 * @param questions in the order in which they are shown
 */
export function worthShowing<Near extends { readonly rank: number }>(
  questions: readonly Near[],
  floor: number,
): Near[] {
  const nearest = Math.max(0, ...questions.map(({ rank }) => rank))
  return nearest < floor ? [] : questions.filter(({ rank }) => rank >= nearest * NEAR_ENOUGH)
}

export const liftedFrom = (floor: number) => floor * LIFTED_FROM

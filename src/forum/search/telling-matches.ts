import { quoted } from './document.ts'
import type { Condition } from './sources.ts'

export interface CountedTerm {
  readonly lexeme: string
  /** How much it tells about the question; the terms come with the most telling first. */
  readonly weight: number
  /** How many documents have it; 0: none, so that it finds nothing. */
  readonly count: number
}

/** Documents worth reading: those with the rarest words. More would cost as much as they add little. */
export const MAX_CHECKED = 400
/** The number of most telling terms that form pairs; where pairs are too common still, three together. */
const PAIRED = 12
const TOGETHER = 3
/** Words of one subject stand together more often than chance would have it. */
const COMPANY = 4

/** What makes documents worth a look, as tsquery text, and about how many they are. */
export interface TellingMatches {
  /** Any of the rarest words, or of pairs of words; null: all words are common, and all pairs of them. */
  readonly few: Condition
  /** The most telling of the common words, all together: perhaps very many; null: there are no three common words. */
  readonly many: Condition | null
}

/**
 * Chooses as many words and pairs, the rarest first, as together are in no more documents than are ranked.
 * @param least a document that has less than this of the words' weights is not worth a look
 */
export function tellingMatches(terms: readonly CountedTerm[], total: number, least: number): TellingMatches {
  const chosen: string[] = []
  let without = 1
  const take = (lexemes: readonly string[], expected: number): boolean => {
    const left = without * (1 - Math.min(1, expected / total))
    if (total * (1 - left) > MAX_CHECKED) return false
    without = left
    chosen.push(together(lexemes))
    return true
  }
  // What a document has of the words' weights at most, that has none of those taken.
  let others = terms.reduce((sum, { weight }) => sum + weight, 0)
  for (const { lexeme, count, weight } of terms.toSorted(byCount)) {
    if (others < least) break
    if (take([lexeme], count)) others -= weight
  }
  const few = () => ({
    match: chosen.length === 0 ? null : chosen.join(' | '),
    expected: total * (1 - without),
  })
  if (others < least) return { few: few(), many: null }
  const common = terms.slice(0, PAIRED).filter(({ lexeme }) => !chosen.includes(together([lexeme])))
  for (const { lexemes, expected } of pairsOf(common, total)) take(lexemes, expected)
  const telling = common.slice(0, TOGETHER)
  const expected = telling.reduce(
    (rest, { count }) => (rest * Math.min(total, COMPANY * count)) / total,
    total,
  )
  const many =
    telling.length < TOGETHER ? null : { match: together(telling.map(({ lexeme }) => lexeme)), expected }
  return { few: few(), many }
}

function pairsOf(terms: readonly CountedTerm[], total: number) {
  return terms
    .flatMap((one, index) =>
      terms.slice(index + 1).map((other) => ({
        lexemes: [one.lexeme, other.lexeme],
        expected: (COMPANY * one.count * other.count) / total,
      })),
    )
    .toSorted((one, other) => one.expected - other.expected)
}

const byCount = (one: CountedTerm, other: CountedTerm) => one.count - other.count
const together = (lexemes: readonly string[]) => `(${lexemes.map(quoted).join(' & ')})`

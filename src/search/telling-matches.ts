import { quoted } from './document.ts'
import { MOST_RANKED } from './sources.ts'

export interface CountedTerm {
  readonly lexeme: string
  /** How much it tells about the question; the terms come with the most telling first. */
  readonly weight: number
  /** How many documents have it. */
  readonly count: number
}

/** Pairs are made of so many of the most telling terms; where pairs are too common still, larger sets of them. */
const PAIRED = 12
/** Words of one subject stand together more often than chance would have it. */
const COMPANY = 4

/**
 * Parts of a tsquery, any of which makes a document worth a look: the rarest words alone, as long as the documents with
 * any of them are few, then words that are common by themselves two by two, at last the most telling ones all together.
 */
export function tellingMatches(terms: readonly CountedTerm[], total: number): string[] {
  const chosen: string[] = []
  let without = 1
  const take = (lexemes: readonly string[], expected: number): void => {
    const left = without * (1 - Math.min(1, expected / total))
    if (total * (1 - left) > MOST_RANKED) return
    without = left
    chosen.push(lexemes.length === 1 ? quoted(lexemes[0] ?? '') : `(${lexemes.map(quoted).join(' & ')})`)
  }
  const byRarity = terms.toSorted((one, other) => one.count - other.count)
  for (const { lexeme, count } of byRarity) take([lexeme], count)
  const common = terms.slice(0, PAIRED).filter(({ lexeme }) => !chosen.includes(quoted(lexeme)))
  const pairs = common.flatMap((one, index) =>
    common.slice(index + 1).map((other) => ({
      lexemes: [one.lexeme, other.lexeme],
      expected: (COMPANY * one.count * other.count) / total,
    })),
  )
  for (const { lexemes, expected } of pairs.toSorted((one, other) => one.expected - other.expected))
    take(lexemes, expected)
  if (chosen.length > 0 || common.length < 3) return chosen
  return [
    `(${common
      .slice(0, 4)
      .map(({ lexeme }) => quoted(lexeme))
      .join(' & ')})`,
  ]
}

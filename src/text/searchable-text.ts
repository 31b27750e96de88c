import { fold } from './fold.ts'
import { remembered } from './remembered.ts'

/** A character with a compatibility form, such as a full-width letter: its lexeme does not stand in the text. */
const COMPATIBILITY = /[\p{Changes_When_NFKC_Casefolded}--\p{ASCII}]/gv

/** Letters that are found without their accents. */
const ACCENTED = /[[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]--\p{ASCII}]/gv

/** As long as the letter: one that becomes two, which is rare, stays. */
const foldedLetter = remembered((letter) => {
  const folded = fold(letter, 'find')
  return folded.length === letter.length ? folded : letter
})

/** A text in which words are looked for again and again. */
export class SearchableText {
  readonly text: string
  private readonly lower: string
  /** Positions of characters with a compatibility form. */
  private readonly others: readonly number[]

  /** @param limit how much of it is looked at, in UTF-16 units */
  constructor(text: string, limit: number = text.length) {
    this.text = text
    const looked = text.slice(0, limit)
    // These may have a lower case of another length. Words with one of them are found by it.
    this.lower = looked
      .replace(COMPATIBILITY, (one) => ' '.repeat(one.length))
      .toLowerCase()
      .replace(ACCENTED, (one) => foldedLetter(one))
    this.others = Array.from(looked.matchAll(COMPATIBILITY), ({ index }) => index)
  }

  /** Where these stand, in whatever case, and where any word may stand that has a compatibility form; in order. */
  *positionsOf(beginnings: readonly string[]): Generator<number> {
    const others = this.others.values()
    const nextOf = (beginning: string | null, from: number) =>
      beginning === null ? (others.next().value ?? -1) : this.lower.indexOf(beginning, from)
    const all = [...beginnings, null].map((beginning) => ({ beginning, at: nextOf(beginning, 0) }))
    for (;;) {
      let first = null
      for (const one of all) if (one.at >= 0 && one.at < (first?.at ?? Number.POSITIVE_INFINITY)) first = one
      if (first === null) return
      yield first.at
      first.at = nextOf(first.beginning, first.at + 1)
    }
  }
}

import { fold } from './fold.ts'
import { remembered } from './remembered.ts'
import { isPair, namePartsOf, type Piece, piecesOf, type Run, stemOf } from './terms.ts'

/** A match in a text: `start` and `end` (exclusive) in UTF-16 units, and the matching lexemes. */
export interface Occurrence {
  readonly start: number
  readonly end: number
  readonly lexemes: readonly string[]
  /** The beginning of a longer word. */
  readonly isBeginning?: true
}

/** Finds matches of lexemes in a text, in order, as they are asked for: of an identifier only the matching part. */
export type OccurrenceFinder = (text: SearchableText) => Generator<Occurrence>

/** The words near those that are searched for are the same in many searches. */
const piecesOfWord = remembered(piecesOf, 2000)

/**
 * Only words near a lexeme's prefix are tokenized (terms.ts), which costs a hundred times as much as
 * searching for it.
 * @param begun how words begin that match as well, in small letters
 */
export function occurrencesOf(lexemes: ReadonlySet<string>, begun: readonly string[] = []): OccurrenceFinder {
  const beginnings = [...new Set([...[...lexemes].map(beginningOf), ...begun])]
  const matchesIn = (word: string) => piecesOfWord(word).flatMap((piece) => inPiece(piece, lexemes, begun))
  return function* find(text) {
    let end = 0
    for (const position of text.positionsOf(beginnings)) {
      if (position < end) continue
      const start = text.text.lastIndexOf(' ', position) + 1
      const space = text.text.indexOf(' ', position)
      end = space === -1 ? text.text.length : space
      for (const match of matchesIn(text.text.slice(start, end)))
        yield { ...match, start: start + match.start, end: start + match.end }
    }
  }
}

/** How far apart two words stand that follow one another, in UTF-16 units: a particle and a blank. */
const NEXT = 4

/**
 * Leaves out pairs of letters that are only pieces of words.
 * @param ways the lexemes of one word, or of words that follow one another
 */
export function standingWords(
  find: OccurrenceFinder,
  ways: readonly (readonly (readonly string[])[])[],
): OccurrenceFinder {
  const has = (one: Occurrence | undefined, step: readonly string[] = []) =>
    one !== undefined && step.length > 0 && step.every((lexeme) => one.lexemes.includes(lexeme))
  const isNext = (one: Occurrence | undefined, other: Occurrence | undefined) =>
    one !== undefined && other !== undefined && other.start - one.end <= NEXT
  return function* standing(text) {
    const found = [...find(text)]
    for (const [index, one] of found.entries()) {
      const [before, after] = [found[index - 1], found[index + 1]]
      const stands = ways.some(
        ([first, second]) =>
          (has(one, first) && (second === undefined || (isNext(one, after) && has(after, second)))) ||
          (has(one, second) && isNext(before, one) && has(before, first)),
      )
      if (stands || !one.lexemes.every(isPair)) yield one
    }
  }
}

/** The prefix that all words with this lexeme share: stemming may change the last letter. */
function beginningOf(lexeme: string): string {
  return /^[a-z]{3,}$/.test(lexeme) ? lexeme.slice(0, Math.max(2, lexeme.length - 1)) : lexeme
}

function inPiece(piece: Piece, lexemes: ReadonlySet<string>, begun: readonly string[]): Occurrence[] {
  const own = piece.runs.flatMap((run) => run.lexemes)
  const matched = [...(piece.whole === null ? [] : [piece.whole]), ...own].filter((one) => lexemes.has(one))
  if (matched.length === 0) return begunIn(piece, begun)
  const all = { start: piece.start, end: piece.end, lexemes: matched }
  // A compatibility form may differ in length from the original.
  if (piece.core.length > piece.end - piece.start) return [all]
  const at = piece.source.indexOf(piece.core)
  if (at < 0) return [all]
  const start = all.start + at
  if (piece.whole !== null && lexemes.has(piece.whole)) {
    return [{ start, end: start + piece.core.length, lexemes: matched }]
  }
  return piece.runs.flatMap((run) => inRun(run, start + run.start, lexemes))
}

function begunIn(piece: Piece, begun: readonly string[]): Occurrence[] {
  const at = piece.source.indexOf(piece.core)
  if (at < 0) return []
  return piece.runs.flatMap((run) => {
    const folded = fold(run.text, 'find')
    const beginning = begun.find((one) => folded.startsWith(one))
    if (beginning === undefined) return []
    const start = piece.start + at + run.start
    return [{ start, end: start + beginning.length, lexemes: [beginning], isBeginning: true as const }]
  })
}

function inRun(run: Run, start: number, lexemes: ReadonlySet<string>): Occurrence[] {
  const [word = ''] = run.lexemes
  const matched = run.lexemes.filter((lexeme) => lexemes.has(lexeme))
  if (matched.length === 0) return []
  if (run.isUnspaced) return pairsIn(run.text, start, lexemes)
  const parts = namePartsOf(run.text)
  if (parts.length < 2 || lexemes.has(word))
    return [{ start, end: start + run.text.length, lexemes: matched }]
  return parts.flatMap((part) => {
    const lexeme = stemOf(fold(part.text, 'find'))
    if (!lexemes.has(lexeme)) return []
    return [{ start: start + part.start, end: start + part.start + part.text.length, lexemes: [lexeme] }]
  })
}

/** The matching pairs of letters, overlapping ones merged; a last letter alone where no pair matches it. */
function pairsIn(text: string, start: number, lexemes: ReadonlySet<string>): Occurrence[] {
  const letters = [...text]
  const found: { start: number; end: number; lexemes: string[] }[] = []
  let at = start
  for (const [index, letter] of letters.entries()) {
    const lexeme = `${letter}${letters[index + 1] ?? ''}`.toLowerCase()
    if (lexemes.has(lexeme)) {
      const last = found.at(-1)
      const end = at + lexeme.length
      if (last !== undefined && last.end >= at) {
        last.end = end
        last.lexemes.push(lexeme)
      } else found.push({ start: at, end, lexemes: [lexeme] })
    }
    at += letter.length
  }
  return found
}

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

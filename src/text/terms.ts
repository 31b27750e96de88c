import { stemmer } from 'stemmer'
import { isStopWord } from './stop-words.ts'

/**
 * What a text is found by. Text and query go through the same rules, so that whatever is typed as it is written is found:
 * - words of Latin, Greek or Cyrillic script by their English stem (Porter, 1980), without the most common ones;
 * - identifiers and symbols whole (`responseentity<void>`, `@jsonignore`, `c++`, `/books/{id}`), and their parts;
 * - Hangul, Han and Kana, which no space divides reliably, as overlapping pairs of letters, and their last letter alone.
 * A script's border divides: `JSON으로` is `json` and `으로`.
 */
export interface Term {
  readonly lexeme: string
  /** Which word of the text, counted from 0; an identifier and its first part share one. */
  readonly position: number
}

/** Longer ones are nobody's to type: hashes, encoded data. In UTF-16 units. */
const LONGEST = 60

/** What no space divides: a run of letters of one of the scripts written without spaces, or of anything else. */
const PIECE =
  /[\p{Script=Hangul}]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\S)+/gu
const CJK = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
/** Punctuation around a word that is no part of it. Brackets are looked at in pairs. */
const BEFORE = /^[^\p{L}\p{M}\p{N}@#./$_<{[(-]+/u
const AFTER = /[^\p{L}\p{M}\p{N}+#)\]}>*/_-]+$/u
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }
/** One run of letters and digits. */
const RUN = /[\p{L}\p{M}\p{N}_]+/gu
/** Where words meet inside a name: `nullPointer`, `HTTPStatus`, `snake_case`. */
const NAME_PARTS = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu

/** A stretch of text between spaces and borders of scripts. */
export interface Piece {
  /** The identifier that all of it is, in lower case; null for a plain word. */
  readonly whole: string | null
  readonly runs: readonly Run[]
  /** Where it stands in the text, in UTF-16 units; `end` is behind it. */
  readonly start: number
  readonly end: number
}

/** Letters and digits with nothing between them. */
export interface Run {
  readonly text: string
  /** Written without spaces: its lexemes are pairs of letters. */
  readonly isUnspaced: boolean
  /** For a word its stem first, then those of the words its name is made of. Empty for a stop word. */
  readonly lexemes: readonly string[]
}

/** The terms of a text in their order. Linear in its length; no term longer than 60. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = []
  let position = 0
  for (const piece of piecesOf(text)) {
    const runs = piece.runs.filter((run) => run.lexemes.length > 0)
    if (piece.whole !== null) terms.push({ lexeme: piece.whole, position })
    for (const run of runs) {
      for (const lexeme of run.lexemes) terms.push({ lexeme, position })
      position += 1
    }
    if (piece.whole !== null && runs.length === 0) position += 1
  }
  return terms
}

/** The pieces of a text, for text and query alike. Full-width and other compatibility forms count as the plain ones. */
export function piecesOf(text: string): Piece[] {
  return Array.from(text.matchAll(PIECE), ({ 0: piece, index }) => {
    const plain = piece.normalize('NFKC')
    const made = CJK.test(plain) ? unspacedPiece(plain) : wordPiece(plain)
    return { ...made, start: index, end: index + piece.length }
  })
}

function unspacedPiece(text: string) {
  return { whole: null, runs: [{ text, isUnspaced: true, lexemes: pairsOf(text) }] }
}

function wordPiece(piece: string) {
  const core = piece.length > LONGEST * 2 ? piece : unwrapped(piece)
  const runs = Array.from(core.matchAll(RUN), ([text]) => ({
    text,
    isUnspaced: false,
    lexemes: wordsOf(text),
  }))
  return { whole: isIdentifier(core) ? core.toLowerCase() : null, runs }
}

/** Without the punctuation around it: `(C#)` is C#, `List<Book>` keeps its own brackets. */
function unwrapped(piece: string): string {
  let core = piece.replace(BEFORE, '').replace(AFTER, '')
  for (;;) {
    const opener = core[0] ?? ''
    const closer = CLOSERS[opener]
    const last = core.at(-1) ?? ''
    if (closer !== undefined && (last === closer || !core.includes(closer))) {
      core = core
        .slice(1, last === closer ? -1 : undefined)
        .replace(BEFORE, '')
        .replace(AFTER, '')
    } else if (Object.entries(CLOSERS).some(([open, close]) => last === close && !core.includes(open))) {
      core = core.slice(0, -1).replace(AFTER, '')
    } else return core
  }
}

/** Whether the symbols of a chunk belong to it: something other than letters stands in or at it. */
function isIdentifier(core: string): boolean {
  return (
    core.length > 1 &&
    /[^\p{L}\p{M}\p{N}]/u.test(core) &&
    /[\p{L}\p{N}]/u.test(core) &&
    core.length <= LONGEST
  )
}

/** A word, and the words its name is made of. */
function wordsOf(run: string): string[] {
  const lower = run.toLowerCase()
  const parts = run.match(NAME_PARTS) ?? []
  const words = parts.length > 1 ? [lower, ...parts.map((part) => part.toLowerCase())] : [lower]
  return [...new Set(words.filter((word) => !isStopWord(word) && word.length <= LONGEST).map(stemOf))]
}

/** English stems; a word with a digit or another alphabet stays as it is. */
export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}

/** Overlapping pairs; the last letter alone too, so that a word of one syllable is found at the end of another. */
export function pairsOf(run: string): string[] {
  const letters = [...run.toLowerCase()]
  const pairs = letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
  const last = letters.at(-1)
  return last === undefined ? pairs : [...pairs, last]
}

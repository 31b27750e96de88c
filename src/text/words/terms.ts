import { LRUCache } from 'lru-cache'
import { stemmer } from 'stemmer'
import { fold } from './fold.ts'
import { atMost } from './remembered.ts'

/**
 * Tokenizes a text for search. Texts and queries are tokenized alike:
 * - words of Latin, Greek or Cyrillic script without accents, by their English stem (Porter, 1980), without stop words;
 * - identifiers and symbols whole (`responseentity<void>`, `@jsonignore`, `c++`, `/books/{id}`), and their parts;
 * - Hangul, Han and Kana, which have no reliable spaces, as overlapping pairs of letters, and their last letter alone.
 * A change of script separates: `JSON으로` is `json` and `으로`.
 */
interface Term {
  readonly lexeme: string
  /** Index of the word in the text, from 0; an identifier and its first part share one. */
  readonly position: number
}

/** Longer words are not searchable: hashes, encoded data. In UTF-16 units. */
const MAX_WORD_LENGTH = 60

/** A run of letters of one of the scripts without spaces, or of anything else. */
const PIECE =
  /[\p{Script=Hangul}]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\S)+/gu
const CJK = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
const PAIR = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{2}$/u
/** Punctuation around a word. Brackets are handled in pairs. */
const BEFORE = /^[^\p{L}\p{M}\p{N}@#./$_<{[(-]+/u
const AFTER = /[^\p{L}\p{M}\p{N}+#)\]}>*/_-]+$/u
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' }
const RUN = /[\p{L}\p{M}\p{N}_]+/gu
/** Word boundaries inside a name: `nullPointer`, `HTTPStatus`, `snake_case`. */
const NAME_PARTS = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu

/** A stretch of text between spaces and changes of script. */
export interface Piece {
  /** The identifier that the whole piece is, in lower case; null for a plain word. */
  readonly whole: string | null
  /** Without surrounding punctuation, in compatibility form: positions of `runs` refer to this. */
  readonly core: string
  readonly source: string
  readonly runs: readonly Run[]
  /** Position in the text, in UTF-16 units; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

export interface Run {
  readonly text: string
  /** Offset in the core of its piece, in UTF-16 units. */
  readonly start: number
  /** Script without spaces: the lexemes are pairs of letters. */
  readonly isUnspaced: boolean
  /** For a word its stem first, then the stems of the words in a name. Empty for a stop word. */
  readonly lexemes: readonly string[]
}

/** The terms of a text in order. Linear in its length; no term is longer than 60. */
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

/** The pieces of a text or query. Full-width and other compatibility forms are normalized. */
export function piecesOf(text: string): Piece[] {
  return Array.from(text.matchAll(PIECE), ({ 0: piece, index }) => {
    const plain = piece.normalize('NFKC')
    const made = CJK.test(plain) ? unspacedPiece(plain) : wordPiece(plain)
    return { ...made, source: piece, start: index, end: index + piece.length }
  })
}

function unspacedPiece(text: string) {
  return { whole: null, core: text, runs: [{ text, start: 0, isUnspaced: true, lexemes: pairsOf(text) }] }
}

function wordPiece(piece: string) {
  const core = piece.length > MAX_WORD_LENGTH * 2 ? piece : unwrapped(piece)
  const runs = Array.from(core.matchAll(RUN), ({ 0: text, index: start }) => ({
    text,
    start,
    isUnspaced: false,
    lexemes: wordsOf(text),
  }))
  return { whole: isIdentifier(core) ? fold(core, 'find') : null, core, runs }
}

/** Strips surrounding punctuation: `(C#)` becomes C#, `List<Book>` keeps its own brackets. */
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

/** Whether a chunk is an identifier: it has symbols in or beside its letters. */
function isIdentifier(core: string): boolean {
  return (
    core.length > 1 &&
    /[^\p{L}\p{M}\p{N}]/u.test(core) &&
    /[\p{L}\p{N}]/u.test(core) &&
    core.length <= MAX_WORD_LENGTH
  )
}

/** Lexemes of a word, and of the words in a name. */
function wordsOf(run: string): string[] {
  const lower = run.toLowerCase()
  const parts = namePartsOf(run)
  const words = parts.length > 1 ? [lower, ...parts.map(({ text }) => text.toLowerCase())] : [lower]
  const telling = words.filter((word) => !isStopWord(word) && word.length <= MAX_WORD_LENGTH)
  return [...new Set(telling.map((word) => stemOf(fold(word, 'find'))))]
}

/** The words of a name with their offsets: `nullPointer` is `null` and `Pointer`. */
export function namePartsOf(name: string): { readonly text: string; readonly start: number }[] {
  return Array.from(name.matchAll(NAME_PARTS), ({ 0: text, index: start }) => ({ text, start }))
}

/** English stem; a word with a digit or in another alphabet stays unchanged. */
export function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word
}

/** Whether a lexeme is two letters of a script without spaces, which alone are no word. */
export function isPair(lexeme: string): boolean {
  return PAIR.test(lexeme)
}

/** Overlapping pairs; also the last letter alone, so that a word of one syllable is found at the end of another. */
export function pairsOf(run: string): string[] {
  const letters = [...run.toLowerCase()]
  const pairs = letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
  const last = letters.at(-1)
  return last === undefined ? pairs : [...pairs, last]
}

/** The most common English words, which do not distinguish texts (after PostgreSQL's english.stop). */
const STOP_WORDS = new Set(
  `i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
  itself they them their theirs themselves what which who whom this that these those am is are was were be been being
  have has had having do does did doing a an the and but if or because as until while of at by for with about against
  between into through during before after above below to from up down in out on off over under again further then once
  here there when where why how all any both each few more most other some such no nor not only own same so than too very
  s t can will just don should now ve ll re d m`.split(/\s+/),
)

/** @param word in lower case */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

/** Like termsOf, faster where words repeat, as no term spans white space. @param most cached words */
export function rememberTerms(most: number): typeof termsOf {
  const known = new LRUCache<string, readonly Term[]>(atMost(most))
  const termsOfWord = (word: string): readonly Term[] => {
    if (word.length > MAX_WORD_LENGTH) return termsOf(word)
    const remembered = known.get(word)
    if (remembered !== undefined) return remembered
    const terms = termsOf(word)
    known.set(word, terms)
    return terms
  }
  return (text) => {
    const terms: Term[] = []
    let position = 0
    for (const word of text.split(/\s+/)) {
      const own = termsOfWord(word)
      for (const term of own) terms.push({ lexeme: term.lexeme, position: position + term.position })
      const last = own.at(-1)
      if (last !== undefined) position += last.position + 1
    }
    return terms
  }
}

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

const CHUNK = /\S+/gu
/** What may stand around a word without being part of it. */
const EDGE_START = /^[^\p{L}\p{M}\p{N}@#./$_<{[(-]+|^[[({<]+(?=[^\])}>]*$)/u
const EDGE_END = /[^\p{L}\p{M}\p{N}+#)\]}>*/_-]+$/u
/** One run of letters and digits, cut where the script changes. */
const RUN = /[\p{Script=Hangul}]+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|(?:(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}\p{N}_])+/gu
const CJK = /^[\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u
/** Where words meet inside a name: `nullPointer`, `HTTPStatus`, `snake_case`. */
const NAME_PARTS = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{N}+/gu

/** The terms of a text in their order. Linear in its length; no term longer than 60. */
export function termsOf(text: string): Term[] {
  const terms: Term[] = []
  let position = 0
  for (const [chunk] of text.normalize('NFKC').matchAll(CHUNK)) {
    const lexemes = lexemesOfChunk(chunk)
    for (const { lexeme, offset } of lexemes) terms.push({ lexeme, position: position + offset })
    position += (lexemes.at(-1)?.offset ?? -1) + 1
  }
  return terms
}

/** A lexeme of one chunk, and how many words of the chunk come before it. */
interface Placed {
  readonly lexeme: string
  readonly offset: number
}

function lexemesOfChunk(chunk: string): Placed[] {
  const core = chunk.replace(EDGE_START, '').replace(EDGE_END, '')
  const found: Placed[] = []
  const whole = core.toLowerCase()
  if (isIdentifier(core)) found.push({ lexeme: whole, offset: 0 })
  let offset = 0
  for (const [run] of core.matchAll(RUN)) {
    const lexemes = CJK.test(run) ? pairsOf(run) : wordsOf(run)
    for (const lexeme of lexemes) if (lexeme !== whole || found.length === 0) found.push({ lexeme, offset: offset })
    if (lexemes.length > 0) offset += 1
  }
  return found.filter(({ lexeme }) => lexeme.length <= LONGEST)
}

/** Whether the symbols of a chunk belong to it: something other than letters stands in or at it. */
function isIdentifier(core: string): boolean {
  return core.length > 1 && /[^\p{L}\p{M}\p{N}]/u.test(core) && /[\p{L}\p{N}]/u.test(core) && core.length <= LONGEST
}

/** A word, and the words its name is made of. */
function wordsOf(run: string): string[] {
  const lower = run.toLowerCase()
  const parts = run.match(NAME_PARTS) ?? []
  const words = parts.length > 1 ? [lower, ...parts.map((part) => part.toLowerCase())] : [lower]
  return [...new Set(words.filter((word) => !isStopWord(word)).map(stemOf))]
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

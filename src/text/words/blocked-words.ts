import { fold } from './fold.ts'

/** What is between the stars of a pattern: the first piece begins the word, the last one ends it. One piece: the word itself. */
type Pattern = readonly string[]

/** A word of a list, or words that follow one another. */
interface Phrase {
  readonly patterns: readonly Pattern[]
  /** These with their places, those with the fewest stars first: they are the fastest to be missed. */
  readonly placed: readonly (readonly [at: number, pattern: Pattern])[]
  /** What stands before each word: between words of the text it must be the same. */
  readonly gaps: readonly string[]
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const WORD_OF_LIST = /[\p{L}\p{M}\p{N}*]+/gu
/** Scripts whose words are written together, or with particles. */
const JOINED = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

/** A text as it is compared with a list: without case, accents, width and other forms of a letter, and without invisible letters. */
export function foldBlocked(text: string): string {
  return fold(text.normalize('NFKC').replace(INVISIBLE, ''), 'find').replace(/\s+/gu, ' ').trim()
}

/** How many letters and digits an entry has besides its stars. */
export const lettersOf = (entry: string): number => foldBlocked(entry).match(/[\p{L}\p{N}]/gu)?.length ?? 0

/**
 * Makes a test whether a text has one of these words or phrases, each with at least one letter and at most 64 characters. A word of a
 * script that is written together is found anywhere in a word of the text, one of another script as a whole word; `*` stands for any
 * letters and digits of a word, also none. Nothing of a list is ever a regular expression.
 */
export function wordFinder(entries: readonly string[]): (text: string) => boolean {
  const phrases = entries.map(phraseOf)
  const single = new Set(phrases.flatMap(({ patterns }) => (isWord(patterns) ? patterns.flat() : [])))
  const others = phrases.filter(({ patterns }) => !isWord(patterns))
  return (text) => {
    const folded = foldBlocked(text)
    const found = [...folded.matchAll(WORD)]
    const words = numbered(found.map(([word]) => word))
    const gaps = numbered(gapsBefore(found, folded))
    for (const word of words.numbers.keys()) if (single.has(word)) return true
    return others.some((phrase) => isIn(phrase, words, gaps))
  }
}

const isWord = (patterns: readonly Pattern[]) => patterns.flat().length === 1

function phraseOf(entry: string): Phrase {
  const folded = foldBlocked(entry)
  const found = [...folded.matchAll(WORD_OF_LIST)]
  const patterns = found.map(([word]) => (JOINED.test(word) ? `*${word}*` : word).split(/\*+/))
  const placed = [...patterns.entries()].sort(([, one], [, other]) => one.length - other.length)
  return { patterns, placed, gaps: gapsBefore(found, folded) }
}

function gapsBefore(found: readonly RegExpExecArray[], text: string): string[] {
  let end = 0
  return found.map(({ 0: word, index }) => {
    const gap = text.slice(end, index)
    end = index + word.length
    return gap
  })
}

interface Numbered {
  /** All of them in a row. */
  readonly text: string
  readonly numbers: ReadonlyMap<string, number>
  /** The numbers of the values, in their order. */
  readonly order: Int32Array
}

function numbered(values: readonly string[]): Numbered {
  const numbers = new Map<string, number>()
  const order = Int32Array.from(values, (value) => {
    const number = numbers.get(value) ?? numbers.size
    numbers.set(value, number)
    return number
  })
  return { text: values.join(' '), numbers, order }
}

/**
 * Whether words of a text are a phrase. The words that a phrase can have come to, at each word of the text, are bits of a number
 * (Baeza-Yates and Gonnet, "shift-and"): each word is looked at once, also where a phrase repeats itself.
 */
function isIn({ placed, gaps: own }: Phrase, words: Numbered, gaps: Numbered): boolean {
  const fits = new Int32Array(words.numbers.size)
  for (const [at, pattern] of placed) if (!markWords(fits, words, pattern, 1 << at)) return false
  const follows = new Int32Array(gaps.numbers.size)
  for (const [at, gap] of own.entries()) {
    const number = gaps.numbers.get(gap)
    if (at > 0 && number !== undefined) follows[number] = (follows[number] ?? 0) | (1 << at)
  }
  const last = 1 << (placed.length - 1)
  let come = 0
  for (const [at, word] of words.order.entries()) {
    come = (((come << 1) & (follows[gaps.order[at] ?? 0] ?? 0)) | 1) & (fits[word] ?? 0)
    if ((come & last) !== 0) return true
  }
  return false
}

/** Marks the words that are as a pattern says. @returns whether there are any */
function markWords(fits: Int32Array, { text, numbers }: Numbered, pattern: Pattern, bit: number): boolean {
  let isAny = false
  const mark = (number: number | undefined) => {
    if (number === undefined) return
    fits[number] = (fits[number] ?? 0) | bit
    isAny = true
  }
  const [exact = ''] = pattern
  if (pattern.length === 1) mark(numbers.get(exact))
  else if (pattern.every((piece) => text.includes(piece)))
    for (const [word, number] of numbers) if (isLike(word, pattern)) mark(number)
  return isAny
}

/** Whether a word is as a pattern says. Each piece is looked for once, from where the one before it ends. */
export function isLike(word: string, pattern: Pattern): boolean {
  const [first = ''] = pattern
  if (pattern.length === 1) return word === first
  const last = pattern.at(-1) ?? ''
  const end = word.length - last.length
  if (end < first.length || !word.startsWith(first) || !word.endsWith(last)) return false
  let at = first.length
  for (const piece of pattern.slice(1, -1)) {
    const found = word.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

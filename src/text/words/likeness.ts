import { LRUCache } from 'lru-cache'
import { fold } from './fold.ts'
import { jamoOf } from './jamo.ts'
import { isFailing, withoutEnding, withoutSuffix } from './particles.ts'
import { atMost } from './remembered.ts'
import { commonWordFor, isListed } from './synonyms.ts'
import { isStopWord } from './terms.ts'

/**
 * How like two titles are, whatever the endings, particles and spaces of their words. A title is compared by pieces of its
 * words and by pairs of words; both are vectors weighted by rarity, compared by their cosine (Salton, 1975).
 */

const WORD = /[\p{L}\p{N}]+/gu
const HANGUL = /\p{Script=Hangul}/u
const LATIN_WORD = /^[a-z]{3,}$/
/** What stands for all forms in which something fails. */
const FAILS = '안'
/** How many letters of a word, spelt out, are its beginning. */
const BEGINNING = 4
/** A title is compared by its first words: pairs grow with their square. */
const MAX_WORDS = 24
/** Letters whose order is compared: the time grows with their square. */
const MAX_LETTERS = 120
/** How much likeness in pairs of words counts beside likeness in pieces of words. */
const PAIRS = 0.3

/** Hashes of pieces, in their order, with their weights, and the length of the vector. */
interface Vector {
  readonly keys: Int32Array
  readonly weights: Float32Array
  readonly length: number
}

interface Likened {
  /** Its words without the spaces between them, Korean ones spelt out. */
  readonly letters: string
  readonly pieces: Vector
  readonly pairs: Vector
}

/** In how many titles of a sample each piece is; a piece that is in none counts as half a title. */
export class Likeness {
  private readonly counts = new Map<number, number>()
  private readonly size: number
  private readonly known: LRUCache<string, Likened>

  /** @param titles a sample @param most how many titles are remembered, at about 1.5 KB each */
  constructor(titles: readonly string[], most: number) {
    this.size = titles.length
    this.known = new LRUCache(atMost(most))
    for (const title of titles)
      for (const key of new Set(piecesOf(wordsOf(title))))
        this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }

  /** From 0, nothing in common, to 1, the same. */
  to(title: string): (other: string) => number {
    const own = this.likened(title)
    return (other) => {
      const likened = this.likened(other)
      const likeness = cosine(own.pieces, likened.pieces) + PAIRS * cosine(own.pairs, likened.pairs)
      return likeness / (1 + PAIRS)
    }
  }

  /** The share of letters in the same order, 0 to 1, whatever the spaces: for a few titles that are near already. */
  inOrder(title: string): (other: string) => number {
    const { letters } = this.likened(title)
    return (other) => commonInOrder(letters, this.likened(other).letters)
  }

  private likened(title: string): Likened {
    const known = this.known.get(title)
    if (known !== undefined) return known
    const words = wordsOf(title)
    const counts = new Map<number, number>()
    for (const key of piecesOf(words)) counts.set(key, (counts.get(key) ?? 0) + 1)
    const pieces = new Map<number, number>()
    for (const [key, count] of counts) pieces.set(key, this.rarity(key) * Math.log2(1 + count))
    const letters = jamoOf(words.join('')).slice(0, MAX_LETTERS)
    const likened = { letters, pieces: vectorOf(pieces), pairs: vectorOf(this.pairsOf(words)) }
    this.known.set(title, likened)
    return likened
  }

  /** Pairs of the letters that words begin with, in whatever order: a pair is as rare as both are in the mean. */
  private pairsOf(words: readonly string[]): ReadonlyMap<number, number> {
    const begins = words.map((word) =>
      HANGUL.test(word) ? letterKey([...word][0] ?? '') : hash(word.slice(0, BEGINNING), 4),
    )
    const pairs = new Map<number, number>()
    for (const [index, one] of begins.entries())
      for (const other of begins.slice(index + 1)) {
        const key = Math.imul(Math.min(one, other), 31) ^ Math.max(one, other)
        pairs.set(key, (this.rarity(one) + this.rarity(other)) / 2)
      }
    return pairs
  }

  private rarity(key: number): number {
    return Math.log(1 + (this.size + 0.5) / ((this.counts.get(key) ?? 0) + 0.5))
  }
}

/**
 * Synonyms, names of two words and forms of failing become one word; others stay as they are written, with
 * their endings.
 */
function wordsOf(title: string): string[] {
  const written = (fold(title.normalize('NFKC'), 'find').match(WORD) ?? []).slice(0, MAX_WORDS)
  const words: string[] = []
  for (let at = 0; at < written.length; at += 1) {
    const [word = '', next] = [written[at], written[at + 1]]
    const name = next === undefined ? null : commonNameOf(word, withoutSuffix(next))
    words.push(name ?? commonWordOf(word))
    if (name !== null) at += 1
  }
  return words
}

function commonWordOf(word: string): string {
  if (isFailing(word)) return FAILS
  const stem = withoutSuffix(word)
  const common = commonWordFor(stem)
  return common === stem ? word : common
}

/** The word that stands for a name of two words, written with a space or without; null: they are none. */
function commonNameOf(first: string, last: string): string | null {
  const name = [`${first} ${last}`, `${first}${last}`].find(isListed)
  return name === undefined ? null : commonWordFor(name)
}

/** What a title names: what the list of synonyms has, and words in Latin letters, each by the word that stands for it. */
export function namesIn(title: string): string[] {
  return wordsOf(title)
    .map(withoutSuffix)
    .filter((word) => isListed(word) || (LATIN_WORD.test(word) && !isStopWord(word)))
}

/**
 * Three letters in a row, of each word and again of the word without its ending; how the word begins; and each syllable of a
 * Korean word. Korean letters are those that a syllable is written with: 했 is ㅎㅐㅆ.
 */
function piecesOf(words: readonly string[]): number[] {
  const pieces: number[] = []
  for (const word of words) {
    const spelt = jamoOf(word)
    threes(`_${spelt}_`, 1, pieces)
    pieces.push(hash(spelt.slice(0, BEGINNING), 3))
    if (!HANGUL.test(word)) {
      pieces.push(hash(word.slice(0, BEGINNING), 4))
      continue
    }
    threes(`_${jamoOf(withoutEnding(word))}`, 2, pieces)
    for (const letter of word) pieces.push(letterKey(letter))
  }
  return pieces
}

function threes(letters: string, kind: number, pieces: number[]): void {
  for (let at = 0; at + 3 <= letters.length; at += 1) pieces.push(hash(letters.slice(at, at + 3), kind))
}

function letterKey(letter: string): number {
  return hash(letter, 5)
}

/** FNV-1a of a piece and its kind, in 32 bits: two pieces that share one matter as little as they are rare. */
function hash(text: string, kind: number): number {
  let value = 0x811c9dc5 ^ kind
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}

/** Typed arrays sort by number without calling back: a page of similar questions makes some hundred vectors. */
function vectorOf(weighted: ReadonlyMap<number, number>): Vector {
  const keys = Int32Array.from(weighted.keys()).sort()
  const weights = Float32Array.from(keys, (key) => weighted.get(key) ?? 0)
  return { keys, weights, length: Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0)) }
}

function cosine(one: Vector, other: Vector): number {
  if (one.length === 0 || other.length === 0) return 0
  const { keys, weights } = one
  const { keys: others, weights: othersWeights } = other
  let [sum, at, to] = [0, 0, 0]
  while (at < keys.length && to < others.length) {
    const [key, otherKey] = [keys[at] ?? 0, others[to] ?? 0]
    if (key === otherKey) sum += (weights[at++] ?? 0) * (othersWeights[to++] ?? 0)
    else if (key < otherKey) at += 1
    else to += 1
  }
  return sum / (one.length * other.length)
}

export function shareOfHangul(text: string): number {
  const letters = text.match(/\p{L}/gu) ?? []
  return letters.length === 0 ? 0 : letters.filter((letter) => HANGUL.test(letter)).length / letters.length
}

/**
 * The share of the longer text that both have in the same order, 0 to 1 (longest common subsequence; Wagner
 * and Fischer, 1974): what vectors of pieces don't tell. Time is the product of their lengths.
 */
export function commonInOrder(one: string, other: string): number {
  const longer = Math.max(one.length, other.length)
  if (longer === 0) return 0
  let common = new Uint16Array(other.length + 1)
  for (const letter of one) {
    const next = new Uint16Array(other.length + 1)
    for (let at = 0; at < other.length; at += 1)
      next[at + 1] =
        letter === other[at] ? (common[at] ?? 0) + 1 : Math.max(common[at + 1] ?? 0, next[at] ?? 0)
    common = next
  }
  return (common[other.length] ?? 0) / longer
}

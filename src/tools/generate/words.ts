import * as english from './english-words.ts'
import { codeWord, errorWord, inventedWord, pathWord } from './invented-words.ts'
import * as korean from './korean-words.ts'
import type { Random } from './random.ts'
import { Zipf } from './zipf.ts'

/** A word as Markdown, and as it is rendered. */
export interface Word {
  readonly markdown: string
  readonly html: string
}

export const KINDS = [
  ...['noun', 'nouns', 'verb', 'verbing', 'verbed', 'adjective', 'tool'],
  ...['code', 'path', 'error', 'number', 'version', 'name'],
] as const
export type Kind = string

/** Draws a word of one kind by its frequency. */
export type Draw = (random: Random) => Word

/** The words of one language, by kind. Kinds that its sentences do not use are absent. */
export type Vocabulary = ReadonlyMap<Kind, Draw>

/** Number of distinct generated words by kind: most of a large forum's words are rare. */
const CODE_WORDS = 200_000
const ERRORS = 20_000
const PATHS = 10_000
const NAMES = 40_000

export function englishVocabulary(): Vocabulary {
  const verbs = listOf(english.VERBS)
  return new Map<Kind, Draw>([
    ['noun', listed(listOf(english.NOUNS))],
    ['nouns', listed(listOf(english.NOUNS).map(plural))],
    ['verb', listed(verbs)],
    ['verbing', listed(verbs.map((verb) => `${stem(verb)}ing`))],
    ['verbed', listed(verbs.map((verb) => `${stem(verb)}ed`))],
    ['adjective', listed(listOf(english.ADJECTIVES))],
    ...sharedKinds(),
  ])
}

export function koreanVocabulary(): Vocabulary {
  const noun = listed(listOf(korean.NOUNS))
  // Korean writes compound nouns as one word: many rare words with common parts.
  const compound: Draw = (random) => plain(noun(random).markdown + noun(random).markdown)
  return new Map<Kind, Draw>([
    ['noun', (random) => (random.chance(0.12) ? compound(random) : noun(random))],
    ['verb', listed(listOf(korean.VERBS))],
    ...sharedKinds(),
  ])
}

/** Tools, identifiers, errors and numbers, the same in both languages. */
function sharedKinds(): [Kind, Draw][] {
  return [
    ['tool', listed(listOf(english.TOOLS))],
    ['code', made(CODE_WORDS, (rank) => code(codeWord(rank)))],
    ['path', made(PATHS, (rank) => code(pathWord(rank)))],
    ['error', made(ERRORS, (rank) => plain(errorWord(rank)))],
    ['name', made(NAMES, (rank) => plain(inventedWord(rank)))],
    ['number', (random) => plain(String(Math.floor(random.heavy(0.7)) % 100_000))],
    ['version', (random) => plain(`${1 + random.below(21)}.${random.below(10)}.${random.below(30)}`)],
  ]
}

export function listOf(words: string): string[] {
  return [...new Set(words.trim().split(/\s+/))]
}

function listed(words: readonly string[]): Draw {
  const zipf = new Zipf(words.length, 1.05, 3)
  const all = words.map(plain)
  return (random) => all[zipf.draw(random)] ?? plain('')
}

/** Generates words on demand, and caches the frequent ones. */
function made(count: number, make: (rank: number) => Word): Draw {
  const zipf = new Zipf(count, 0.95)
  const kept: Word[] = []
  return (random) => {
    const rank = zipf.draw(random)
    if (rank >= 20_000) return make(rank)
    const word = kept[rank] ?? make(rank)
    kept[rank] = word
    return word
  }
}

function plain(text: string): Word {
  return { markdown: text, html: text }
}

function code(text: string): Word {
  const html = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { markdown: `\`${text}\``, html: `<code>${html}</code>` }
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`
}

/** The stem for -ing and -ed, approximately. */
function stem(verb: string): string {
  return verb.endsWith('e') ? verb.slice(0, -1) : verb
}

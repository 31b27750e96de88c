import { createRequire } from 'node:module'
import { lengthOf } from '../../text/characters.ts'

const require = createRequire(import.meta.url)
let common: ReadonlySet<string> | null = null

/** Passwords found most in leaks, in lower case: 49,233 of them. Read when the first is chosen, as they take 10 MB. */
function commonPasswords(): ReadonlySet<string> {
  if (common === null) {
    const { dictionary }: typeof import('@zxcvbn-ts/language-common') = require('@zxcvbn-ts/language-common')
    common = new Set(dictionary['passwords-common'])
  }
  return common
}

/** Fewer characters than this beside a known word are what everybody adds to it: a year, a few digits, "!". */
const ADDED = 5

/** A word of fewer letters is in too many good passwords by chance. */
const SHORTEST_WORD = 4

/**
 * Whether a password is among the first that a guesser tries: one of the commonest, a trivial row of characters, or little
 * more than words that everybody can know about the account.
 * @param words names, addresses and titles around the account, as they are written
 */
export function isWeakPassword(password: string, words: readonly string[]): boolean {
  const plain = password.normalize('NFKC').toLowerCase()
  return isCommon(plain) || isTrivial(plain) || isMadeOf(plain, words)
}

function isCommon(plain: string): boolean {
  const letters = plain.replace(/[^\p{L}]+$/u, '')
  const isPadded = lengthOf(plain) - lengthOf(letters) < ADDED
  const known = commonPasswords()
  return known.has(plain) || (isPadded && known.has(letters))
}

/** One or two characters over and over, or a row such as abcdefgh and 98765432. */
function isTrivial(plain: string): boolean {
  const codes = [...plain].map((character) => character.codePointAt(0) ?? 0)
  if (new Set(codes).size <= 2) return true
  const steps = new Set(codes.slice(1).map((code, index) => code - (codes[index] ?? 0)))
  return steps.size === 1
}

function isMadeOf(plain: string, words: readonly string[]): boolean {
  const known = [...new Set(words.flatMap(partsOf))].sort((one, other) => other.length - one.length)
  const rest = known.reduce((left, word) => left.replaceAll(word, ''), plain)
  return rest !== plain && lengthOf(rest) < ADDED
}

/** A text as it is, without what is between its words, and each word: "mina.kim@example.org" is also "example". */
function partsOf(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase()
  const words = plain.split(/[^\p{L}\p{M}\p{N}]+/u)
  return [plain, words.join(''), ...words].filter((part) => lengthOf(part) >= SHORTEST_WORD)
}

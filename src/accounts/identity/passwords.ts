import { createRequire } from 'node:module'
import { hash, verify } from '@node-rs/argon2'
import { z } from 'zod'
import { metaOf } from '../../kernel/fields.ts'
import { refusal } from '../../kernel/problem.ts'
import { lengthOf } from '../../text/characters.ts'
import { newToken } from '../../web/tokens.ts'
import { newPassword } from './fields.ts'
import { guessableWords } from './queries.ts'

class HashedPassword {
  readonly hash: string

  constructor(hash: string) {
    this.hash = hash
  }
}

/** The field of an operation that sets a password. Doors hash it before (hashNewPassword): that takes long, and a transaction would wait. */
export const hashedPassword = z.instanceof(HashedPassword).meta(metaOf(newPassword()))

type Forum = Parameters<typeof guessableWords>[0]
type Whose = Parameters<typeof guessableWords>[1]

/**
 * Hashes a password that its field has taken (fields.ts, newPassword).
 * @param words that would be guessed as well as those about the forum and the person
 * @throws Refused when it is easy to guess
 */
export async function hashNewPassword(forum: Forum, password: string, whose: Whose, ...words: string[]) {
  await refuseWeak(forum, password, whose, ...words)
  return new HashedPassword(await hashPassword(password))
}

/** @throws Refused when it is easy to guess */
export async function refuseWeak(forum: Forum, password: string, whose: Whose, ...words: string[]) {
  if (isWeakPassword(password, [...(await guessableWords(forum, whose)), ...words]))
    throw refusal('password', 'accounts.password.weak')
}

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

/** Whether guessers try it first: a common one, a trivial row, or little more than these `words`. */
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

/** Argon2id with OWASP's parameters (Password Storage Cheat Sheet, 2025): 19 MiB, 2 passes, 1 lane. About 10 ms. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What a password is checked against where there is none, so that an answer takes as long as for a known account. */
let nobodysHash: Promise<string> | null = null

/** @returns the hash in PHC form, with its salt and its parameters */
export function hashPassword(password: string): Promise<string> {
  return hash(password, PARAMETERS)
}

/** Whether a password is the one hashed. `null`, an account without a password, takes as long and is never right. */
export async function isRightPassword(passwordHash: string | null, password: string): Promise<boolean> {
  nobodysHash ??= hashPassword(newToken())
  const isRight = await verify(passwordHash ?? (await nobodysHash), password)
  return isRight && passwordHash !== null
}

/** Whether a hash was made with weaker parameters than today's: to be replaced while the password is at hand. */
export function isOutdated(passwordHash: string): boolean {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(passwordHash)
  if (found === null) return true
  const [memoryCost, timeCost, parallelism] = found.slice(1).map(Number)
  const { memoryCost: memory, timeCost: passes, parallelism: lanes } = PARAMETERS
  return (memoryCost ?? 0) < memory || (timeCost ?? 0) < passes || (parallelism ?? 0) < lanes
}

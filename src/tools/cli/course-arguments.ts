import type { Language } from '../../database/schema.ts'
import { hasForbidden, isBlank, lengthOf, normalize } from '../../text/characters.ts'
import { isTimeZone } from '../../text/dates.ts'
import { slugOf } from '../../text/slug.ts'
import { CommandError } from './run.ts'

/**
 * Parses a line of text as the forum stores it: NFC, runs of white space as one space.
 * @param name of the argument in messages, e.g. --title
 * @throws CommandError when it is empty, too long (in characters) or has control characters
 */
export function lineArgument(name: string, given: string, longest: number): string {
  if (!given.isWellFormed()) throw new CommandError(`${name} isn’t valid text`)
  const line = normalize(given).trim().replace(/\s+/gu, ' ')
  if (hasForbidden(line, { multiline: false })) throw new CommandError(`${name} contains control characters`)
  if (!isBlank(line) && lengthOf(line) <= longest) return line
  throw new CommandError(`${name} must have 1 to ${longest} characters`)
}

/** @throws CommandError unless it is a valid slug */
export function slugArgument(given: string): string {
  if (given.isWellFormed() && given === slugOf(given, '')) return given
  throw new CommandError(
    `--slug "${given}" can’t be part of an address: try --slug ${slugOf(given, 'my-course')}`,
  )
}

export function languageArgument(given: string): Language {
  if (given === 'en' || given === 'ko') return given
  throw new CommandError(`--language must be en or ko, not "${given}"`)
}

export function timeZoneArgument(given: string): string {
  if (isTimeZone(given)) return given
  throw new CommandError(`--time-zone must be a time zone such as Asia/Seoul, not "${given}"`)
}

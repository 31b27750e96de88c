import { hasForbidden, lengthOf, normalize, withoutEscapeSequences } from '../../text/characters.ts'

/**
 * Multi-line text as the forum stores it: NFC, without the characters that a form would refuse. Half of a surrogate pair, as where somebody
 * cut an emoji in two, is replaced.
 */
export function cleanText(text: string): string {
  const normal = normalize(withoutEscapeSequences(text.toWellFormed()))
  if (!hasForbidden(normal, { multiline: true })) return normal
  return Array.from(normal)
    .filter((character) => !hasForbidden(character, { multiline: true }))
    .join('')
}

/** One line of text, e.g. a title or a name: the same, with each run of white space as one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim()
}

/** Truncates a text to a number of characters (code points); a truncated text ends in `…`. */
export function cut(text: string, most: number): string {
  if (lengthOf(text) <= most) return text
  return `${Array.from(text)
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`
}

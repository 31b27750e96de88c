import { hasForbidden, lengthOf, normalize } from '../text/characters.ts'

/** Text of many lines as the forum stores it: NFC, \n, without the characters that a form would refuse. */
export function cleanText(text: string): string {
  const normal = normalize(text)
  if (!hasForbidden(normal, { multiline: true })) return normal
  return Array.from(normal)
    .filter((character) => !hasForbidden(character, { multiline: true }))
    .join('')
}

/** One line of text, e.g. a title or a name: the same, with runs of blanks made one. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim()
}

/** At most so many characters (code points); what is cut off ends in `…`. */
export function cut(text: string, most: number): string {
  if (lengthOf(text) <= most) return text
  return `${Array.from(text)
    .slice(0, most - 1)
    .join('')
    .trimEnd()}…`
}

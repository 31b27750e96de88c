const LONGEST = 80

/** A letter or digit of any script, with the marks (accents, vowel signs) on it and on those after it. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu

/**
 * The readable part of an address: lower-case letters and digits of every script, everything between them one
 * `-`, at most 80 characters (code points). Not encoded: the caller puts it through encodeURIComponent.
 * @param fallback what stands there when the text has no letter or digit
 */
export function slugOf(text: string, fallback = 'question'): string {
  const visible = text
    .toLowerCase()
    .replaceAll('i\u0307', 'i') // what the Turkish capital becomes in lower case
    .normalize('NFC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const slug = (visible.match(WORD) ?? []).join('-')
  return Array.from(slug).slice(0, LONGEST).join('').replace(/-$/, '') || fallback
}

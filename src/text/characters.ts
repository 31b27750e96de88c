/**
 * Which characters a post, a name or a title may hold.
 *
 * Refused: control characters (C0, DEL, C1; tab and line ends are fine in text of many lines), lone
 * surrogates (PostgreSQL cannot store them as UTF-8), U+FFFE and U+FFFF (no XML, so no feed, can carry them),
 * and the two overrides U+202D and U+202E, whose only effect is text that reads differently from what is
 * stored ("Trojan Source", CVE-2021-42574). Allowed, as real text needs them: marks (LRM, RLM, ALM), joiners
 * (ZWJ in emoji, ZWNJ in Persian), isolates, and embeddings (Windows puts U+202A before a path copied from a
 * dialogue).
 */
const FORBIDDEN_IN_LINES = /[\p{Cc}\p{Cs}\u202D\u202E\uFFFE\uFFFF]/u
const FORBIDDEN_IN_TEXT = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202D\u202E\uFFFE\uFFFF]/u

/** A whole escape sequence of a terminal (ECMA-48): colours and such, and what ends with a bell or ESC \, such as a link. */
const [ESC, BELL, ST] = ['\u001B', '\u0007', '\u009C']
const ESCAPE_SEQUENCE = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\p{Cc}]*(?:${BELL}|${ST}|${ESC}\\\\))`,
  'gu',
)

/**
 * Text without any visible glyph: white space, format characters, fillers such as U+3164, the empty braille pattern.
 */
const WITHOUT_INK = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u2800]*$/u

/**
 * Normalizes text for storage: Unicode NFC, line breaks as \n.
 * @throws RangeError for lone surrogates, which `hasForbidden` finds: call it first
 */
export function normalize(text: string): string {
  if (!text.isWellFormed()) throw new RangeError('text holds a lone surrogate')
  return text.replace(/\r\n?/g, '\n').normalize('NFC')
}

/** Whether text has a forbidden character; `multiline` text may have tabs and line breaks. */
export function hasForbidden(text: string, { multiline }: { readonly multiline: boolean }): boolean {
  return (multiline ? FORBIDDEN_IN_TEXT : FORBIDDEN_IN_LINES).test(text)
}

/** Text without a terminal's escape sequences, as it looked there: a pasted error has them. Half a sequence stays, and is refused. */
export function withoutEscapeSequences(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '')
}

/** Length in characters (code points), like PostgreSQL's char_length(); normalize first, as that changes the length. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _character of text) length += 1
  return length
}

/** The beginning of a text, of so many characters, with … where it is longer. */
export function shortened(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length).join('').trimEnd()}…`
}

/** Whether text would be invisible: a title of zero-width spaces counts as empty. */
export function isBlank(text: string): boolean {
  return WITHOUT_INK.test(text)
}

/** Text without white space and format characters at its ends: spreadsheets and web pages leave zero-width spaces there. */
export function bare(text: string): string {
  if (text === '' || !/\p{Cf}/u.test(text)) return text.trim()
  // Character by character: a pattern that ends in $ takes quadratic time.
  let [start, end, at] = [-1, 0, 0]
  for (const character of text) {
    at += character.length
    if (/^[\s\p{Cf}]$/u.test(character)) continue
    if (start < 0) start = at - character.length
    end = at
  }
  return text.slice(Math.max(start, 0), end)
}

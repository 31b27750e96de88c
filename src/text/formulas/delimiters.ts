/** Longest formula, in characters of TeX; a matrix of ten by ten has about 1,000. */
export const MAX_LENGTH = 3_000

/** What may follow a formula directly, as in "the $n$th": letters and digits otherwise mean that $ is money or a variable. */
const WORD_AFTER = /[0-9A-Za-z]/
const SUFFIX_AFTER = /(?:th|st|nd|rd|s)(?![0-9A-Za-z])/y

/** Money: "$5 for one, and 60$". */
const MONEY = /^[\d.,]+\s+\p{L}{2}/u
/** The end of something before it, such as "(5$)" and the regular expression "/^a$/": no formula begins so. */
const ENDS_SOMETHING = /^[)/]/

/** What Markdown has not: a command; a power or an index. */
const COMMAND = /\\[A-Za-z]/
const SIGN = /\^|(?<!\w)[A-Za-z]_(?=[{A-Za-z0-9])/
/** Text whose brackets were escaped, as in "\(see below\)": words beside each other, another script's, a link. */
const SENTENCE = /[A-Za-z]{2}[\s,]+[A-Za-z]{2}|[\p{L}--[A-Za-z]--\p{Script=Greek}]{2}|:\/\/|\]\(/v
const WORD = /[A-Za-z]{4}/

const CLOSINGS: Readonly<Record<string, string>> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' }

export interface FoundFormula {
  readonly tex: string
  /** `$`, `$$`, `\(` or `\[`. */
  readonly opening: string
  readonly closing: string
  /** `$$…$$` and `\[…\]`, which stand on lines of their own. */
  readonly isDisplay: boolean
  /** Position after the closing delimiter. */
  readonly end: number
}

/**
 * The formula that begins at a dollar sign or a backslash. Dollars follow pandoc's rules: no white space inside those of
 * `$…$`, no digit or letter behind the last one; and before the first one only where TeX follows, as in "20$^\circ$".
 * `\(…\)` and `\[…\]`, which Moodle, edX and chat programs write, are Markdown's escapes as well: what is in them must look
 * like a formula. Delimiters within braces, as in `\text{if $x$}`, belong to the formula. A backtick is code's.
 * @returns null when it is prose. At most MAX_LENGTH characters are read
 */
export function formulaAt(text: string, start: number): FoundFormula | null {
  const two = text.slice(start, start + 2)
  const opening = two in CLOSINGS ? two : text.charAt(start)
  const closing = CLOSINGS[opening]
  if (closing === undefined) return null
  const from = start + opening.length
  const close = closingAfter(text, from, closing)
  if (close === null) return null
  const tex = text.slice(from, close)
  const isDisplay = opening.length === 2 && opening !== '\\('
  const found = { tex, opening, closing, isDisplay, end: close + closing.length }
  const isFormula = opening.startsWith('$')
    ? isInDollars(text, start, found)
    : isInBrackets(text, start, found)
  return isFormula ? found : null
}

function isInDollars(text: string, start: number, { tex, isDisplay, end }: FoundFormula): boolean {
  if (tex.trim() === '') return false
  if (ENDS_SOMETHING.test(tex) || (isAfterWord(text, start) && !/^[\\^_{]/.test(tex))) return false
  if (isDisplay) return text[end - 1] === '$'
  return !/^\s|\s$/.test(tex) && !MONEY.test(tex) && !isInWord(text, end)
}

function isInBrackets(text: string, start: number, { tex, opening, end }: FoundFormula): boolean {
  if (!/[^\s\\]/.test(tex)) return false
  const isOnLines = /^\n*$/.test(text.charAt(start - 1) + text.charAt(end))
  // Links, boxes of tasks and indexes are escaped so: "\[a\](b)", "\[x\]", "a\[i+1\]".
  const isStrict = opening === '\\[' && !isOnLines
  if (isStrict && /[([:]/.test(text.charAt(end))) return false
  if (COMMAND.test(tex)) return true
  const hasSign = SIGN.test(tex)
  if (SENTENCE.test(tex) || (WORD.test(tex) && !hasSign && !/[=<>+]/.test(tex))) return false
  return hasSign || (!isStrict && !isAfterWord(text, start))
}

/** Position of the first closing delimiter outside braces; null when there is none, or code begins before it. */
function closingAfter(text: string, from: number, closing: string): number | null {
  const end = Math.min(text.length, from + MAX_LENGTH)
  let depth = 0
  for (let index = from; index < end; index += 1) {
    const character = text[index]
    // Dollars within escaped brackets are formulas of their own, as in "\\[$a$\\]".
    if (character === '$' && depth <= 0) return closing.startsWith('$') ? index : null
    if (depth <= 0 && character === '\\' && text.startsWith(closing, index)) return index
    if (character === '\\') index += 1
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    else if (character === '`') return null
  }
  return null
}

/** Whether a letter or digit of ASCII is directly before a position: letters of other scripts may be, as in "함수$f$는". */
function isAfterWord(text: string, position: number): boolean {
  return /[0-9A-Za-z]/.test(text.charAt(position - 1))
}

function isInWord(text: string, position: number): boolean {
  if (text[position] === '$') return true
  if (!WORD_AFTER.test(text[position] ?? '')) return false
  SUFFIX_AFTER.lastIndex = position
  return !SUFFIX_AFTER.test(text)
}

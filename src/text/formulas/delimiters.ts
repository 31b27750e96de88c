/** Longest formula, in characters of TeX; a matrix of ten by ten has about 1,000. */
const MAX_LENGTH = 3_000

/** What may follow a formula directly, as in "the $n$th": letters and digits otherwise mean that $ is money or a variable. */
const WORD_AFTER = /[0-9A-Za-z]/
const SUFFIX_AFTER = /(?:th|st|nd|rd|s)(?![0-9A-Za-z])/y

/** Money: "$5 for one, and 60$". */
const MONEY = /^[\d.,]+\s+\p{L}{2}/u

export interface FoundFormula {
  readonly tex: string
  /** `$$…$$`, which stands on a line of its own. */
  readonly isDisplay: boolean
  /** Position after the closing delimiter. */
  readonly end: number
}

/**
 * The formula that begins at a dollar sign, by pandoc's rules: no white space inside the dollars of `$…$`, no digit or letter
 * behind the last one. Dollars within braces, as in `\text{if $x$}`, belong to the formula. A backtick is code's.
 * @returns null when the dollar is prose. At most MAX_LENGTH characters are read
 */
export function formulaAt(text: string, start: number): FoundFormula | null {
  const isDisplay = text[start + 1] === '$'
  const from = start + (isDisplay ? 2 : 1)
  const close = closingDollar(text, from)
  if (close === null) return null
  const tex = text.slice(from, close)
  if (tex.trim() === '') return null
  if (isDisplay) return text[close + 1] === '$' ? { tex, isDisplay, end: close + 2 } : null
  if (/^\s|\s$/.test(tex) || MONEY.test(tex) || isInWord(text, close + 1)) return null
  return { tex, isDisplay, end: close + 1 }
}

/** Position of the first dollar outside braces; null when there is none, or code begins before it. */
function closingDollar(text: string, from: number): number | null {
  const end = Math.min(text.length, from + MAX_LENGTH)
  let depth = 0
  for (let index = from; index < end; index += 1) {
    const character = text[index]
    if (character === '\\') index += 1
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    else if (character === '`') return null
    else if (character === '$' && depth <= 0) return index
  }
  return null
}

function isInWord(text: string, position: number): boolean {
  if (text[position] === '$') return true
  if (!WORD_AFTER.test(text[position] ?? '')) return false
  SUFFIX_AFTER.lastIndex = position
  return !SUFFIX_AFTER.test(text)
}

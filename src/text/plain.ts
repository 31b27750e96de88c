import { isBlank, lengthOf } from './characters.ts'

/** Elements that end a line of text; all others are inline. Cells of a row are separated, but on one line. */
const LINES = new Set('p br hr h3 h4 h5 h6 blockquote ul ol li pre div details table tr'.split(' '))

/** The references that our sanitizer writes; it writes all other characters literally. */
const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#32;': ' ',
  '&#9;': '\t',
}

const ASCII = /^[ -~]*$/
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const FORMULA = /<math( display="block")?>.*?<annotation[^>]*>(.*?)<\/annotation><\/semantics><\/math>/gs

/** A formula is read as its author typed it. */
function sourceOf(_formula: string, display: string | undefined, tex: string): string {
  return display === undefined ? `$${tex}$` : `\n$$${tex}$$\n`
}

/**
 * The words of a post's HTML, including code, with blocks on separate lines and no empty lines.
 * @param html from prepareMarkdown, in which < and > only delimit tags, or a prefix of such; no other HTML
 */
export function plainText(html: string): string {
  const formula = html.lastIndexOf('<math')
  const whole = formula > html.lastIndexOf('</math>') ? html.slice(0, formula) : html
  return (
    whole
      // A formula, which is gone already, a tag or a reference that the end of the prefix truncates.
      .replace(/(?:<[^>]*|&#?\w*)$/, '')
      .replaceAll(/<input[^>]*> /g, '')
      .replace(FORMULA, sourceOf)
      .replace(/<img [^>]*?alt="([^"]*)"[^>]*>/g, '$1')
      .replace(/<summary>[^<]*<\/summary>/g, '')
      .replace(/<\/t[dh]>\n?|<\/?(\w+)[^>]*>/g, (_tag, name: string | undefined) => {
        if (name === undefined) return ' '
        return LINES.has(name) ? '\n' : ''
      })
      .replace(/&(?:amp|lt|gt|quot|#32|#9);/g, (reference) => CHARACTERS[reference] ?? reference)
      .split('\n')
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .join('\n')
  )
}

/** Whether a post shows neither words nor anything else: it is link definitions, invisible characters, a link around nothing. */
export function showsNothing(html: string): boolean {
  return isBlank(plainText(html)) && !/<(?:img|hr|input)\b/.test(html)
}

/** The same without code and formulas: the prose, e.g. to detect its language. */
export function proseText(html: string): string {
  return plainText(html.replace(/<code>.*?<\/code>|<math.*?<\/math>/gs, ' '))
}

/** The beginning of a post on one line, at most `length` code points: `…` cuts between words or graphemes. */
export function excerpt(html: string, length: number): string {
  const text = plainText(html).replace(/\s+/g, ' ').trim()
  if (lengthOf(text) <= length) return text
  const cut = cutBetweenGraphemes(text, length - 1)
  const lastBlank = text.startsWith(' ', cut.length) ? cut.length : cut.lastIndexOf(' ')
  return `${(lastBlank > cut.length * 0.6 ? cut.slice(0, lastBlank) : cut).trimEnd()}…`
}

function cutBetweenGraphemes(text: string, length: number): string {
  // Between two ASCII characters there is always a grapheme's end, but for line breaks, which blanks replace.
  if (ASCII.test(text.slice(0, length + 1))) return text.slice(0, length)
  let taken = 0
  for (const { segment, index } of graphemes.segment(text)) {
    taken += lengthOf(segment)
    if (taken > length) return text.slice(0, index)
  }
  return text
}

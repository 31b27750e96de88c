import { lengthOf } from './characters.ts'

/**
 * Elements that end a line of text; all others stand within one. A row's cells are apart, but on its line.
 */
const LINES = new Set('p br hr h3 h4 h5 h6 blockquote ul ol li pre div table tr'.split(' '))

/** The references our sanitizer writes; it writes all other characters as they are. */
const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#32;': ' ',
  '&#9;': '\t',
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The words of a post's HTML, code included, blocks on lines of their own, no empty lines.
 * @param html made by renderMarkdown, in which < and > stand for nothing but tags: no other HTML
 */
export function plainText(html: string): string {
  return html
    .replaceAll(/<input[^>]*> /g, '')
    .replace(/<\/t[dh]>\n?|<\/?(\w+)[^>]*>/g, (_tag, name: string | undefined) => {
      if (name === undefined) return ' '
      return LINES.has(name) ? '\n' : ''
    })
    .replace(/&(?:amp|lt|gt|quot|#32|#9);/g, (reference) => CHARACTERS[reference] ?? reference)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .join('\n')
}

/** The same without code, in lines or in blocks: what was written for people, e.g. to tell its language. */
export function proseText(html: string): string {
  return plainText(html.replace(/<code>.*?<\/code>/gs, ' '))
}

/**
 * The beginning of a post on one line, at most `length` characters (code points), cut between words where
 * words are that short, never inside a character as people see it; `…` at its end tells that there is more.
 */
export function excerpt(html: string, length: number): string {
  const text = plainText(html).replace(/\s+/g, ' ').trim()
  if (lengthOf(text) <= length) return text
  const cut = cutBetweenGraphemes(text, length - 1)
  const lastBlank = text.startsWith(' ', cut.length) ? cut.length : cut.lastIndexOf(' ')
  return `${(lastBlank > cut.length * 0.6 ? cut.slice(0, lastBlank) : cut).trimEnd()}…`
}

function cutBetweenGraphemes(text: string, length: number): string {
  let taken = 0
  for (const { segment, index } of graphemes.segment(text)) {
    taken += lengthOf(segment)
    if (taken > length) return text.slice(0, index)
  }
  return text
}

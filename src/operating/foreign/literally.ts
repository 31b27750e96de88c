import { formulaAt } from '../../text/formulas/delimiters.ts'

const PUNCTUATION = '[!-/:-@[-`{-~]'
const BACKSLASH = new RegExp(`\\\\(?=${PUNCTUATION}|\\s|$)`, 'g')

/** A URL in running text. The forum links it verbatim, backslashes included. */
const ADDRESS = /(https?:\/\/[^\s<>]+)/i

/**
 * Escapes a text so that Markdown shows it verbatim. A backslash is added only where it is needed, so that words and
 * TeX stay readable in the editor. The text may stand anywhere in a line and span several lines.
 */
export function literally(text: string): string {
  const pieces = text.split(ADDRESS)
  const shown = pieces.map((piece, index) => {
    if (index % 2 === 0) return escaped(piece)
    return address(piece, pieces[index + 1] ?? '')
  })
  return withoutBlocks(shown.join(''))
}

function escaped(text: string): string {
  return brackets(
    plainly(text)
      .replace(/[*`]/g, '\\$&')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      .replace(/!$/, '\\!'),
  )
}

/**
 * Where a URL, or the text behind it, would need escaping, angle brackets make every character literal. The forum's
 * autolink continues past > while a bracket or quote is open.
 */
function address(text: string, next: string): string {
  const goesOn = next.startsWith('<') || (next.startsWith('>') && /[([{"']/.test(text))
  return escaped(text) === text && !goesOn ? text : `<${text}>`
}

/** Like literally, but keeps emphasis, code and links in the text. */
export function plainly(text: string): string {
  return text
    .replace(BACKSLASH, '\\\\')
    .replaceAll('$', '\\$')
    .replace(/#(?=\d)/g, '\\#')
    .replace(/~~/g, '\\~\\~')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/<(?=[^\s<>]*[:@]|$)/g, '\\<')
}

/**
 * What starts a block at the beginning of a line: quotes, headings, lists, rules, underlines, fences, and the row under
 * a table's head.
 */
const BLOCK =
  /^([ \t]*)(?=>|#{1,6}(?:\s|$)|[-+*](?:\s|$)|(?:\*[ \t]*)+$|(?:_[ \t]*)+$|=+[ \t]*$|(?:[|:][|: \t]*)?-[-:| \t]*$|~~~|```)/
const NUMBER = /^([ \t]*\d{1,9})([.)])(?=\s|$)/

/**
 * Escapes what starts a block, and what would close a heading. Text that begins with a space is in the middle of a
 * line.
 */
export function withoutBlocks(text: string): string {
  return text
    .split('\n')
    .map((line, index) =>
      index === 0 && /^\s/.test(line) ? line : line.replace(BLOCK, '$1\\').replace(NUMBER, '$1\\$2'),
    )
    .join('\n')
    .replace(/(\s)(#+\s*)$/, '$1\\$2')
}

/**
 * Brackets need escaping when one is unmatched, as it could match that of a link around it, or when a link could
 * follow. Escaped ones must not be those of a formula.
 */
function brackets(text: string): string {
  if (isBalanced(text) && !/\](?=[([:]|$)|^\[[ xX]\]/.test(text)) return text
  const shown = text.replace(/[[\]]/g, '\\$&')
  // A formula on a line of its own may have blanks behind it.
  const read = shown.replace(/(?<![ \t])[ \t]+$/gm, '')
  const openings = read.matchAll(/\\\[/g)
  return shown.replace(/\\\[/g, (bracket) => {
    const { value: opening } = openings.next()
    return opening === undefined || formulaAt(read, opening.index) === null ? bracket : '&#91;'
  })
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]]/g)) {
    depth += bracket === '[' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

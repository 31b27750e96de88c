const PUNCTUATION = '[!-/:-@[-`{-~]'
const BACKSLASH = new RegExp(`\\\\(?=${PUNCTUATION}|\\s|$)`, 'g')

/** An address in running text. The forum links it as it stands, backslashes and all. */
const ADDRESS = /(https?:\/\/[^\s<>]+)/i

/**
 * Markdown that shows a text exactly as it is: a backslash before what would be taken for Markdown, and nowhere else, so
 * that words and TeX stay readable in the editor. It may stand anywhere in a line and hold several lines.
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
 * Where escaping would be needed in an address or behind it, brackets around it make every character literal. A link
 * that the forum finds goes on behind > while a bracket or quote is open.
 */
function address(text: string, next: string): string {
  const goesOn = next.startsWith('<') || (next.startsWith('>') && /[([{"']/.test(text))
  return escaped(text) === text && !goesOn ? text : `<${text}>`
}

/** As literally, but emphasis, code and links that are written in the text stay what they are. */
export function plainly(text: string): string {
  return text
    .replace(BACKSLASH, '\\\\')
    .replace(/~~/g, '\\~\\~')
    .replace(/&(?=#?\w+;)/g, '\\&')
    .replace(/<(?=[^\s<>]*[:@]|$)/g, '\\<')
}

/**
 * What begins a block at the beginning of a line: quotes, headings, lists, rules, underlines, fences, rows under a table's
 * head.
 */
const BLOCK =
  /^([ \t]*)(?=>|#{1,6}(?:\s|$)|[-+*](?:\s|$)|(?:\*[ \t]*)+$|(?:_[ \t]*)+$|=+[ \t]*$|(?:[|:][|: \t]*)?-[-:| \t]*$|~~~|```)/
const NUMBER = /^([ \t]*\d{1,9})([.)])(?=\s|$)/

/** Escapes what begins a block, and what would end a heading. Text that begins with a blank begins within a line. */
export function withoutBlocks(text: string): string {
  return text
    .split('\n')
    .map((line, index) =>
      index === 0 && /^\s/.test(line) ? line : line.replace(BLOCK, '$1\\').replace(NUMBER, '$1\\$2'),
    )
    .join('\n')
    .replace(/(\s)(#+\s*)$/, '$1\\$2')
}

/** Brackets matter when one has no partner, which may be that of a link around it, or when a link could follow. */
function brackets(text: string): string {
  if (!isBalanced(text) || /\](?=[([:]|$)|^\[[ xX]\]/.test(text)) return text.replace(/[[\]]/g, '\\$&')
  return text
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[[\]]/g)) {
    depth += bracket === '[' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}

import type { MarkdownIt, Token } from 'markdown-it'

/** Maximum nesting of quotes and lists (a list counts two). Deeper levels cost time and width and help no reader. */
const MAX_DEPTH = 40

/** Renders content deeper than MAX_DEPTH as its source, which markdown-it's maxNesting would drop. */
export function boundNesting(markdown: MarkdownIt): void {
  const { block } = markdown
  const tokenize = block.tokenize.bind(block)
  block.tokenize = (state, startLine, endLine) => {
    if (state.level < MAX_DEPTH) return tokenize(state, startLine, endLine)
    state.push('paragraph_open', 'p', 1)
    const text = state.push('inline', '', 0)
    text.content = state.getLines(startLine, endLine, state.blkIndent, false).trim()
    text.children = []
    state.push('paragraph_close', 'p', -1)
    state.line = endLine
  }
}

/** Maximum empty cells per post. A row of two characters, `|`, may need a hundred of them. */
const MAX_PADDED_CELLS = 2_000

/**
 * Markdown pads short rows of a table with empty cells. After MAX_PADDED_CELLS of them in a post, rows stay short, so that a
 * short source cannot make a long page. No words are lost.
 */
export function boundPadding(markdown: MarkdownIt): void {
  markdown.core.ruler.after('block', 'padding', (state) => {
    let padded = 0
    const kept: Token[] = []
    for (const token of state.tokens) {
      if (token.type === 'tr_close') {
        const cells = emptyCellsAtEnd(kept)
        padded += cells
        if (padded > MAX_PADDED_CELLS) kept.length -= cells * TOKENS_OF_CELL
      }
      kept.push(token)
    }
    state.tokens = kept
  })
}

/** td_open, inline, td_close. */
const TOKENS_OF_CELL = 3

function emptyCellsAtEnd(tokens: readonly Token[]): number {
  let cells = 0
  for (let last = tokens.length - 1; tokens[last]?.type === 'td_close'; last -= TOKENS_OF_CELL) {
    if (tokens[last - 1]?.content !== '') break
    cells += 1
  }
  return cells
}

/** Maximum characters of URLs and titles in one post's links, the same as cmark's limit for references. */
const MAX_URL_CHARACTERS = 100_000

/**
 * After MAX_URL_CHARACTERS, links and images of a post render as text. A URL may be defined once and used
 * often: 30,000 characters of Markdown would give 180 MB of HTML.
 */
export function boundReferences(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'references', ({ tokens }) => {
    const budget = { left: MAX_URL_CHARACTERS }
    for (const token of tokens) {
      if (token.children !== null) token.children = within(budget, token.children)
    }
  })
}

function within(budget: { left: number }, tokens: readonly Token[]): Token[] {
  let isLinkShown = true
  return tokens.flatMap((token) => {
    if (token.type === 'link_close') return isLinkShown ? [token] : []
    if (token.type !== 'link_open' && token.type !== 'image') return [token]
    for (const [, value] of token.attrs ?? []) budget.left -= String(value).length
    const fits = budget.left >= 0
    if (token.type === 'link_open') isLinkShown = fits
    if (fits) return [token]
    return token.type === 'image' ? within(budget, token.children ?? []) : []
  })
}

/** Maximum marks shown on one letter. Tibetan, which stacks most, uses up to nine. */
const MAX_MARKS = 10

/** Joiners between marks attach them to the same letter. */
const BEYOND = new RegExp(`(?<=[\\p{M}\\u200C\\u200D]{${MAX_MARKS}})[\\p{M}\\u200C\\u200D]+`, 'gu')

/** Where marks may be: not in Latin, Han or Hangul letters, dashes and quotes, so that most texts are looked at once. */
const MAY_BE_MARK = /[\u0300-\u1fff\u2c00-\u33ff\ua000-\uabff\ud800-\uffff]|[\u200b-\u200e]|[\u20d0-\u20ff]/

/**
 * Truncates each run of combining marks to MAX_MARKS for display. A letter with its marks never wraps, so 147
 * of them are wider than a phone, and they cover the lines above and below.
 */
export function boundMarks(text: string): string {
  return MAY_BE_MARK.test(text) ? text.replace(BEYOND, '') : text
}

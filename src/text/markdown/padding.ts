import type { MarkdownIt, Token } from 'markdown-it'

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

import type { MarkdownIt } from 'markdown-it'

/** Maximum nesting of quotes and lists (a list counts two). Deeper levels cost time and width and help no reader. */
const MAX_DEPTH = 40

/**
 * Renders content deeper than MAX_DEPTH levels as a paragraph of its source. markdown-it's own limit (maxNesting) drops
 * such text, and nothing that a person wrote may vanish.
 */
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

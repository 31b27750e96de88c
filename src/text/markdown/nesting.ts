import type { MarkdownIt } from 'markdown-it'

/** Levels of quotes and lists (a list counts two). Deeper ones cost time and width and help no reader. */
const DEEPEST = 40

/**
 * Shows what stands deeper than DEEPEST levels as a paragraph, as typed. markdown-it's own bound (maxNesting)
 * leaves such text out, and nothing that a person wrote may vanish.
 */
export function boundNesting(markdown: MarkdownIt): void {
  const { block } = markdown
  const tokenize = block.tokenize.bind(block)
  block.tokenize = (state, startLine, endLine) => {
    if (state.level < DEEPEST) return tokenize(state, startLine, endLine)
    state.push('paragraph_open', 'p', 1)
    const text = state.push('inline', '', 0)
    text.content = state.getLines(startLine, endLine, state.blkIndent, false).trim()
    text.children = []
    state.push('paragraph_close', 'p', -1)
    state.line = endLine
  }
}

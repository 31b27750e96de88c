import type { MarkdownIt, Token } from 'markdown-it'

/** The page itself uses the first two levels: its title, and its sections. */
const PAGE_LEVELS = 2

/**
 * Shifts headings of a post to fit the page's outline: the first is h3, each later one at most one level deeper than
 * its predecessor, so that no level is skipped. Headings without words are removed: there is nothing to hear or see.
 */
export function nestHeadings(markdown: MarkdownIt): void {
  markdown.core.ruler.push('headings', (state) => {
    const typedLevels: number[] = []
    state.tokens = state.tokens.filter((token, index, tokens) => !isInEmptyHeading(token, index, tokens))
    for (const token of state.tokens) {
      if (token.type === 'heading_open') open(token, typedLevels)
      if (token.type === 'heading_open' || token.type === 'heading_close') {
        token.tag = `h${Math.min(PAGE_LEVELS + typedLevels.length, 6)}`
      }
    }
  })
}

/** A heading is three tokens: open, inline, close. */
function isInEmptyHeading(token: Token, index: number, tokens: readonly Token[]): boolean {
  if (token.type === 'heading_open') return isEmpty(tokens[index + 1])
  if (token.type === 'heading_close') return isEmpty(tokens[index - 1])
  return tokens[index - 1]?.type === 'heading_open' && isEmpty(token)
}

function isEmpty(words: Token | undefined): boolean {
  return (words?.children ?? []).every((child) => child.content.trim() === '')
}

function open(heading: Token, typedLevels: number[]): void {
  const level = Number(heading.tag.slice(1))
  while ((typedLevels.at(-1) ?? 0) >= level) typedLevels.pop()
  typedLevels.push(level)
}

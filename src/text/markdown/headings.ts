import type { MarkdownIt, Token } from 'markdown-it'

/** The page has the first two levels: its title, and the parts in which posts stand. */
const PAGE_LEVELS = 2

/**
 * Gives headings of a post their place in the page's outline: the first is h3, one that was typed deeper than
 * its predecessor is one level deeper, never more, so that no level is skipped whatever levels were typed.
 * Headings without words go: there would be nothing to hear or to see.
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

/** A heading is three tokens: open, words, close. */
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

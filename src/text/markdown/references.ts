import type { MarkdownIt, Token } from 'markdown-it'

/** Maximum characters of URLs and titles in one post's links, the same as cmark's limit for references. */
const MAX_URL_CHARACTERS = 100_000

/**
 * After MAX_URL_CHARACTERS, links and images of a post render as text. A URL may be defined once and used often: 30,000
 * characters of Markdown would give 180 MB of HTML.
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

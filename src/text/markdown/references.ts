import type { MarkdownIt, Token } from 'markdown-it'

/** Characters of addresses and titles in one post's links, as many as cmark allows for references. */
const MOST_ADDRESSES = 100_000

/**
 * Beyond MOST_ADDRESSES, links and images of a post are shown as their words only. An address can be defined
 * once and used often: 30,000 characters of Markdown would give 180 MB of HTML.
 */
export function boundReferences(markdown: MarkdownIt): void {
  markdown.core.ruler.after('inline', 'references', ({ tokens }) => {
    const budget = { left: MOST_ADDRESSES }
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

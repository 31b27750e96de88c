import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/**
 * Shows images as links to them: a picture fetched from elsewhere tells its owner who reads. In a link, where another
 * cannot stand, the picture's words stay. Links and pictures without words get their address as words.
 */
export function linkImages(markdown: MarkdownIt): void {
  markdown.core.ruler.push('images', (state) => {
    for (const token of state.tokens) {
      if (token.children !== null) token.children = withoutImages(token.children, state)
    }
  })
}

function withoutImages(tokens: readonly Token[], state: StateCore): Token[] {
  const shown: Token[] = []
  let link: Token | null = null
  let linkHasWords = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      link = token
      linkHasWords = false
    } else if (token.type === 'link_close') {
      if (link !== null && !linkHasWords) shown.push(text(state, String(link.attrGet('href'))))
      link = null
    }
    const replacement = token.type === 'image' ? instead(token, link !== null, state) : [token]
    linkHasWords ||= replacement.some(({ content }) => content.trim() !== '')
    shown.push(...replacement)
  }
  return shown
}

/** What stands for an image: its words, linked to it unless a link surrounds it. */
function instead(image: Token, isInLink: boolean, state: StateCore): Token[] {
  const { renderer, options } = state.md
  const address = String(image.attrGet('src'))
  const words = renderer.renderInlineAsText(image.children ?? [], options, state.env).trim() || address
  if (isInLink) return [text(state, words)]
  const open = new state.Token('link_open', 'a', 1)
  open.attrs = [['href', address]]
  const title = image.attrGet('title')
  if (title !== null) open.attrs.push(['title', title])
  return [open, text(state, words), new state.Token('link_close', 'a', -1)]
}

function text(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0)
  token.content = content
  return token
}

import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { type PictureSize, sizeOfPicture } from './own-pictures.ts'

/**
 * Shows pictures that were uploaded here, and renders all others as links: fetching an external image would reveal the reader to its server. Inside a link, which
 * cannot contain another, only the image's text is shown. Links and images without text show their URL; those without a
 * URL, as in [words](), are text only.
 */
export function linkImages(markdown: MarkdownIt): void {
  const { escapeHtml } = markdown.utils
  markdown.renderer.rules.picture = (tokens, index) => {
    const attributes = tokens[index]?.attrs ?? []
    const written = attributes.map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    return `<img${written.join('')}>`
  }
  markdown.core.ruler.push('images', (state) => {
    for (const token of state.tokens) {
      if (token.children !== null) token.children = withLinkedImages(token.children, state)
    }
  })
}

function withLinkedImages(tokens: readonly Token[], state: StateCore): Token[] {
  const shown: Token[] = []
  let address = ''
  let hasWords = false
  for (const token of tokens) {
    if (token.type === 'link_open') {
      address = String(token.attrGet('href') ?? '')
      hasWords = false
      if (address !== '') shown.push(token)
    } else if (token.type === 'link_close') {
      if (address !== '') shown.push(...(hasWords ? [token] : [text(state, address), token]))
      address = ''
    } else {
      const visible = token.type === 'image' ? instead(token, address !== '', state) : [token]
      hasWords ||= visible.some(({ content }) => content.trim() !== '')
      shown.push(...visible)
    }
  }
  return shown
}

/** Replaces an image: its text, linked unless it is inside a link. */
function instead(image: Token, isInLink: boolean, state: StateCore): Token[] {
  const { renderer, options } = state.md
  const address = String(image.attrGet('src') ?? '')
  const words = renderer.renderInlineAsText(image.children ?? [], options, state.env).trim() || address
  const ours = sizeOfPicture(address)
  if (ours !== null) return [picture(state, address, words === address ? '' : words, ours)]
  if (isInLink || address === '') return [text(state, words)]
  const open = new state.Token('link_open', 'a', 1)
  open.attrs = [['href', address]]
  const title = image.attrGet('title')
  if (title !== null) open.attrs.push(['title', title])
  return [open, text(state, words), new state.Token('link_close', 'a', -1)]
}

/** Its size is known before it is there, so that nothing moves when it comes. */
function picture(state: StateCore, address: string, words: string, size: PictureSize): Token {
  const token = new state.Token('picture', 'img', 0)
  token.content = address
  token.attrs = [
    ...[['src', address] as [string, string], ['alt', words] as [string, string]],
    ...[
      ['width', String(size.width)] as [string, string],
      ['height', String(size.height)] as [string, string],
    ],
    ...[['loading', 'lazy'] as [string, string], ['decoding', 'async'] as [string, string]],
  ]
  return token
}

function text(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0)
  token.content = content
  return token
}

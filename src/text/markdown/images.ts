import type { MarkdownIt, StateCore, Token } from 'markdown-it'

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
    state.tokens = withFolds(state.tokens, state)
  })
}

/** A picture this many times as high as it is wide is folded. */
const TALL = 2

function isTall({ type, content }: Token): boolean {
  const size = type === 'picture' ? sizeOfPicture(content) : null
  return size !== null && size.height > TALL * size.width
}

/**
 * Tall pictures stand by themselves: a fold can't be inside a paragraph. Its summary is empty: words come
 * when it is shown (web/described-pictures.ts).
 */
function withFolds(tokens: readonly Token[], state: StateCore): Token[] {
  const shown: Token[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const [token, begin, end] = [tokens[index], tokens[index - 1], tokens[index + 1]]
    if (token === undefined) continue
    if (token.children?.some(isTall) !== true || begin === undefined || end === undefined) {
      shown.push(token)
      continue
    }
    // The paragraph or heading begins again behind a fold; a cell holds both.
    const isCell = begin.tag === 'td' || begin.tag === 'th'
    if (!isCell) shown.pop()
    for (const { children, isFolded } of split(token.children, state)) {
      const inline = Object.assign(new state.Token('inline', '', 0), { children })
      if (isFolded) shown.push(...foldAround(inline, state))
      else if (children.some(({ content }) => content.trim() !== ''))
        shown.push(...(isCell ? [inline] : [begin, inline, end]))
    }
    if (!isCell) index += 1
  }
  return shown
}

/** What stands before, between and behind tall pictures, and each of them. Marks around one, such as a link, are in each part. */
function split(children: readonly Token[], state: StateCore) {
  const parts: { children: Token[]; isFolded: boolean }[] = []
  const open: Token[] = []
  let part: Token[] = []
  const closed = () => open.toReversed().map((mark) => closing(mark, state))
  for (const token of children) {
    if (isTall(token)) {
      parts.push({ children: withoutBreaks([...part, ...closed()]), isFolded: false })
      parts.push({ children: [...open, token, ...closed()], isFolded: true })
      part = [...open]
      continue
    }
    if (token.nesting === 1) open.push(token)
    if (token.nesting === -1) open.pop()
    part.push(token)
  }
  return [...parts, { children: withoutBreaks(part), isFolded: false }]
}

function closing({ type, tag, markup }: Token, state: StateCore): Token {
  return Object.assign(new state.Token(type.replace(/open$/, 'close'), tag, -1), { markup })
}

/** Lines end where a fold begins. */
function withoutBreaks(children: readonly Token[]): Token[] {
  const isBreak = (token: Token | undefined) => token?.type === 'softbreak' || token?.type === 'hardbreak'
  let [begin, end] = [0, children.length]
  while (isBreak(children[begin])) begin += 1
  while (isBreak(children[end - 1])) end -= 1
  return children.slice(begin, end)
}

function foldAround(inline: Token, state: StateCore): Token[] {
  const fold = new state.Token('fold_open', 'details', 1)
  fold.attrs = [['class', 'fold tall']]
  const summary = [
    new state.Token('summary_open', 'summary', 1),
    new state.Token('summary_close', 'summary', -1),
  ]
  const end = Object.assign(new state.Token('fold_close', 'details', -1), { block: true })
  return [fold, ...summary, inline, end]
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

function instead(image: Token, isInLink: boolean, state: StateCore): Token[] {
  const { renderer, options } = state.md
  const address = String(image.attrGet('src') ?? '')
  const words = renderer.renderInlineAsText(image.children ?? [], options, state.env).trim() || address
  if (sizeOfPicture(address) !== null) return [picture(state, address, words === address ? '' : words)]
  if (isInLink || address === '') return [text(state, words)]
  const open = new state.Token('link_open', 'a', 1)
  open.attrs = [['href', address]]
  const title = image.attrGet('title')
  if (title !== null) open.attrs.push(['title', title])
  return [open, text(state, words), new state.Token('link_close', 'a', -1)]
}

/** The sanitizer adds its size, so that nothing moves when it comes. */
function picture(state: StateCore, address: string, words: string): Token {
  const token = new state.Token('picture', 'img', 0)
  token.content = address
  token.attrs = [
    ['src', address],
    ['alt', words],
  ]
  return token
}

function text(state: StateCore, content: string): Token {
  const token = new state.Token('text', '', 0)
  token.content = content
  return token
}

/** The address of an uploaded picture: 22 random characters, width, height. */
const ADDRESS = /^\/uploads\/[A-Za-z0-9_-]{22}-([1-9]\d{0,4})x([1-9]\d{0,4})$/

/** The size of one of our pictures, as its address tells it; null for any other address. */
export function sizeOfPicture(address: string) {
  const [, width, height] = ADDRESS.exec(address) ?? []
  return width === undefined ? null : { width: Number(width), height: Number(height) }
}

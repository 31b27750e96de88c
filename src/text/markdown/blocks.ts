import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const MAX_NAME_LENGTH = 100

/**
 * Puts tables into a container that the keyboard can scroll too (WCAG 2.1.1), named by the column heads: in the table's
 * own language, as one stored HTML serves all readers. Alignment is a class, as the page allows no style attributes.
 */
export function showTables(markdown: MarkdownIt): void {
  const { renderer } = markdown

  markdown.core.ruler.push('tables', ({ tokens, env }) => {
    const words = (token: Token) =>
      renderer.renderInlineAsText(token.children ?? [], markdown.options, env).trim()
    let table: Token | null = null
    for (const [index, token] of tokens.entries()) {
      if (token.type === 'table_open') table = token
      if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token)
      const cell = tokens[index + 1]
      if (token.type === 'th_open' && cell !== undefined)
        headColumn(token, tokens[index + 2], words(cell), table)
    }
  })

  renderer.rules.table_open = (tokens, index, options) => {
    const name = String(tokens[index]?.meta?.name ?? '')
    const label = name === '' ? '' : ` role="group" aria-label="${markdown.utils.escapeHtml(name)}"`
    return `<div class="scroll" tabindex="0"${label}>${renderer.renderToken(tokens, index, options)}`
  }
  renderer.rules.table_close = (tokens, index, options) =>
    `${renderer.renderToken(tokens, index, options).trimEnd()}</div>\n`
}

/** Adds a column head to the table's name; an empty head becomes a plain cell. */
function headColumn(open: Token, close: Token | undefined, words: string, table: Token | null): void {
  if (words !== '') open.attrSet('scope', 'col')
  else {
    open.tag = 'td'
    if (close !== undefined) close.tag = 'td'
  }
  const name = String(table?.meta?.name ?? '')
  if (table === null || words === '' || name.length + words.length > MAX_NAME_LENGTH) return
  table.meta = { name: name === '' ? words : `${name}, ${words}` }
}

function alignByClass(cell: Token): void {
  const style = String(cell.attrGet('style') ?? '')
  cell.attrs = null
  if (style.endsWith('center')) cell.attrSet('class', 'column-center')
  if (style.endsWith('right')) cell.attrSet('class', 'column-end')
}

const BOX = /^\[([ xX])\][ \t]+(?=\S)/

/** Task lists as on GitHub: [ ] or [x] becomes a read-only checkbox, labelled by the item's words. */
export function showTasks(markdown: MarkdownIt): void {
  // Directly after 'inline': a later rule joins escaped characters to their neighbours, and \[x] is no task.
  markdown.core.ruler.after('inline', 'tasks', (state) => {
    for (const [index, token] of state.tokens.entries()) {
      const item = state.tokens[index - 2]
      const isFirstInItem =
        item?.type === 'list_item_open' && state.tokens[index - 1]?.type === 'paragraph_open'
      if (token.type === 'inline' && isFirstInItem) showTask(item, token, state)
    }
  })
}

function showTask(item: Token, words: Token, state: StateCore): void {
  const [first, ...others] = words.children ?? []
  const box = first?.type === 'text' ? BOX.exec(first.content) : null
  if (first === undefined || box === null) return
  item.attrJoin('class', 'task-list-item')
  first.content = ` ${first.content.slice(box[0].length)}`
  const label = new state.Token('label_open', 'label', 1)
  const input = new state.Token('task', 'input', 0)
  input.attrs = [
    ['type', 'checkbox'],
    ['disabled', ''],
    ...(box[1] === ' ' ? [] : [['checked', ''] as [string, string]]),
  ]
  words.children = [label, input, first, ...others, new state.Token('label_close', 'label', -1)]
}

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

import type { MarkdownIt, Token } from 'markdown-it'

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

import type { MarkdownIt, StateCore, Token } from 'markdown-it'

const BOX = /^\[([ xX])\][ \t]+(?=\S)/

/**
 * Task lists as on GitHub: an item that starts with [ ] or [x] gets a read-only checkbox. The item's words are its
 * label, in whatever language they are.
 */
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

/** A line of a list: its indentation, its mark (with a box of a task list), and what it says. */
const ITEM = /^(\s*)((?:[-*+]|\d{1,9}[.)])(?:\s\[[ xX]\])?)(\s+)(.*)$/
const QUOTE = /^(\s*(?:>\s?)+)(.*)$/

/**
 * Enter in a list or a quote begins its next line; in an empty one it ends the list. An input event follows, so that
 * drafts notice.
 * @param {HTMLTextAreaElement} area
 */
export function continueLists(area) {
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
    if (area.selectionStart !== area.selectionEnd) return
    const at = area.selectionStart
    const start = area.value.lastIndexOf('\n', at - 1) + 1
    const next = nextLine(area.value.slice(start, at))
    if (next === null) return
    event.preventDefault()
    if (next === '') area.setRangeText('', start, at, 'end')
    else area.setRangeText(`\n${next}`, at, at, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/**
 * What the line after this one begins with; empty: the list ends; null: the line is in no list.
 * @param {string} line up to the cursor
 */
function nextLine(line) {
  const [, indent = '', mark = '', space = '', text = ''] = ITEM.exec(line) ?? []
  if (mark !== '') return text === '' ? '' : `${indent}${following(mark)}${space}`
  const [, quote = '', quoted = ''] = QUOTE.exec(line) ?? []
  if (quote === '') return null
  return quoted === '' ? '' : quote
}

/** @param {string} mark */
function following(mark) {
  return mark.replace(/\d+/, (number) => String(Number(number) + 1)).replace(/\[[xX]\]/, '[ ]')
}

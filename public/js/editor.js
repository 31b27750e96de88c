/**
 * Puts the editor's toolbar, which waits in a <template>, into its bar: each button wraps the selection in its marks.
 * @param {HTMLElement} editor
 */
export function improveEditor(editor) {
  const area = editor.querySelector('textarea')
  const bar = editor.querySelector('.editor-bar')
  const template = editor.querySelector('template')
  if (area === null || bar === null || template === null) return
  bar.append(template.content.cloneNode(true))
  bar.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (button !== null) wrapSelection(area, button.dataset.before ?? '', button.dataset.after ?? '')
  })
  area.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    const button = bar.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`)
    if (!(button instanceof HTMLButtonElement)) return
    event.preventDefault()
    button.click()
  })
}

/**
 * Wraps what is selected, several lines in a fence; with nothing selected the cursor lands between the marks. Goes through
 * setRangeText and an input event, so that drafts notice; the whole is one step for undo where the browser allows it.
 * @param {HTMLTextAreaElement} area
 * @param {string} before
 * @param {string} after
 */
function wrapSelection(area, before, after) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const selected = value.slice(start, end)
  const isBlock = before === '`' && selected.includes('\n')
  const opening = isBlock ? '```\n' : before
  const closing = isBlock ? '\n```' : after
  area.focus()
  area.setRangeText(`${opening}${selected}${closing}`, start, end, 'end')
  area.setSelectionRange(start + opening.length, start + opening.length + selected.length)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

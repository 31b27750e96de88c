import { subscribe as pasteMarkdown } from '@github/paste-markdown'
import { continueLists } from './lists.js'
import { offerPeople } from './mentions.js'
import { offerCodeBlocks } from './paste-code.js'
import { takePictures } from './pictures.js'
import { switchPreview } from './preview.js'
import { showMentions } from './shown-mentions.js'

/**
 * Puts the editor's toolbar, which waits in a <template>, into its bar, and lets Preview show the text in place.
 * @param {HTMLElement} editor
 * @param {typeof import('./suggestion-box.js').offerSuggestions} offer
 */
export function improveEditor(editor, offer) {
  const area = editor.querySelector('textarea')
  const template = editor.querySelector('template')
  if (area === null || template === null) return
  template.replaceWith(template.content)
  const tools = [...editor.querySelectorAll('.toolbar button')].filter(isButton)
  for (const tool of tools)
    if (tool.dataset.picture === undefined) tool.addEventListener('click', () => useTool(area, tool))
  moveByArrows(tools)
  area.addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    const tool = tools.find(({ dataset }) => dataset.ctrl === event.key.toLowerCase())
    if (tool === undefined) return
    event.preventDefault()
    tool.click()
  })
  if (editor.querySelector('[data-people]') !== null) showMentions(area)
  // Before lists: Enter that chooses somebody begins no line.
  offerPeople(editor, area, offer)
  switchPreview(editor, area)
  continueLists(area)
  // Links on a selection, tables and links of other pages become Markdown.
  pasteMarkdown(area)
  offerCodeBlocks(editor, area)
  takePictures(editor, area)
}

/**
 * A toolbar is one stop of the Tab key; the arrows move inside it (w3.org/WAI/ARIA/apg/patterns/toolbar).
 * @param {HTMLButtonElement[]} tools
 */
function moveByArrows(tools) {
  const stopAt = (/** @type {HTMLButtonElement | undefined} */ stop) => {
    for (const tool of tools) tool.tabIndex = tool === stop ? 0 : -1
  }
  stopAt(tools[0])
  for (const [index, tool] of tools.entries()) {
    tool.addEventListener('focus', () => stopAt(tool))
    tool.addEventListener('keydown', ({ key }) => {
      const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
      if (step !== 0) tools[(index + step + tools.length) % tools.length]?.focus()
    })
  }
}

/**
 * Wraps what is selected in the tool's marks, or begins each of its lines with them; with nothing selected the cursor lands
 * between the marks. An input event follows, so that drafts notice.
 * @param {HTMLTextAreaElement} area
 * @param {HTMLButtonElement} tool
 */
function useTool(area, { dataset }) {
  const { before = '', after = '', line } = dataset
  area.focus()
  if (line === undefined) wrapSelection(area, before, after)
  else beginLines(area, line)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
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
  area.setRangeText(`${opening}${selected}${closing}`, start, end, 'end')
  area.setSelectionRange(start + opening.length, start + opening.length + selected.length)
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {string} mark
 */
function beginLines(area, mark) {
  const start = area.value.lastIndexOf('\n', area.selectionStart - 1) + 1
  const lines = area.value.slice(start, area.selectionEnd).split('\n')
  area.setRangeText(lines.map((line) => mark + line).join('\n'), start, area.selectionEnd, 'end')
}

/**
 * @param {Element} element
 * @returns {element is HTMLButtonElement}
 */
function isButton(element) {
  return element instanceof HTMLButtonElement
}

import { editedMentions, endOf, postedOf, regainedMentions, shownOf } from '../../src/text/shown-mentions.ts'

/** @typedef {import('../../src/text/shown-mentions.ts').ShownMention} ShownMention */
/** @typedef {{ text: string, mentions: readonly ShownMention[], lost: ShownMention[], coming: { at: number, length: number, mentions: ShownMention[] } | null }} Shown */

/** How cut and copied text carries who is meant, beside the plain text. */
const POSTED = 'text/x-handup'
/** Names changed by hand that undoing can bring back. */
const MOST_LOST = 50

/** @type {WeakMap<Element, Shown>} */
const texts = new WeakMap()

/**
 * Shows mentions in a text as `@Name`. Who is meant is kept beside it, and what is posted names them: `@[Name](person:12)`.
 * @param {HTMLTextAreaElement} area
 */
export function showMentions(area) {
  load(area)
  area.addEventListener('filled', () => load(area))
  // Before drafts hear of it.
  area.addEventListener('input', (event) => {
    const isUndo = event instanceof InputEvent && /^history/.test(event.inputType)
    follow(area, isUndo)
  })
  area.form?.addEventListener('formdata', ({ formData }) => formData.set(area.name, postedText(area)))
  for (const act of ['copy', 'cut'])
    area.addEventListener(act, (event) => {
      if (event instanceof ClipboardEvent) copy(area, event)
    })
  area.addEventListener('paste', (event) => {
    const posted = event.clipboardData?.getData(POSTED) || event.clipboardData?.getData('text/plain') || ''
    if (shownOf(posted).mentions.length === 0) return
    event.preventDefault()
    event.stopImmediatePropagation()
    insertPosted(area, posted)
  })
}

/**
 * What is posted of a field: of a text that shows mentions with whom it means.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 */
export function postedText(field) {
  if (!(field instanceof HTMLTextAreaElement) || !texts.has(field)) return field.value
  return postedOf(follow(field, false))
}

/**
 * Puts text in the place of the selection as typing does, so that it can be undone.
 * @param {HTMLTextAreaElement} area
 * @param {string} posted
 */
export function insertPosted(area, posted) {
  const { text, mentions } = shownOf(posted)
  const at = area.selectionStart
  const shown = texts.get(area)
  if (shown) shown.coming = { at, length: text.length, mentions: [...mentions] }
  if (document.execCommand('insertText', false, text)) return
  area.setRangeText(text, at, area.selectionEnd, 'end')
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Whether the name at a place of the text means a person already.
 * @param {HTMLTextAreaElement} area
 * @param {number} place
 */
export function isMention(area, place) {
  return texts.get(area)?.mentions.some(({ at }) => at === place) ?? false
}

/** @param {HTMLTextAreaElement} area */
function load(area) {
  const { value, selectionStart, selectionEnd } = area
  const { text, mentions } = shownOf(value)
  texts.set(area, { text, mentions, lost: [], coming: null })
  if (text === value) return
  const [start, end] = [selectionStart, selectionEnd].map((at) => shownOf(value.slice(0, at)).text.length)
  area.value = text
  area.setSelectionRange(start ?? 0, end ?? 0)
}

/**
 * Brings the mentions up to what the field shows.
 * @param {HTMLTextAreaElement} area
 * @param {boolean} isUndo or a redo
 * @returns {Shown}
 */
function follow(area, isUndo) {
  const { value } = area
  const before = texts.get(area) ?? { text: value, mentions: [], lost: [], coming: null }
  if (before.text === value && before.coming === null) return before
  const change = editedMentions(before, value, area.selectionEnd)
  let { mentions } = change
  const { coming } = before
  if (isUndo) mentions = regainedMentions({ text: value, mentions }, before.lost, change)
  if (coming !== null) {
    const isApart = (/** @type {ShownMention} */ mention) =>
      endOf(mention) <= coming.at || mention.at >= coming.at + coming.length
    const come = coming.mentions.map((mention) => ({ ...mention, at: mention.at + coming.at }))
    mentions = [...mentions.filter(isApart), ...come].sort((one, other) => one.at - other.at)
  }
  const lost = [...before.lost, ...change.lost].slice(-MOST_LOST)
  const shown = { text: value, mentions, lost, coming: null }
  texts.set(area, shown)
  return shown
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {ClipboardEvent} event
 */
function copy(area, event) {
  const { selectionStart: start, selectionEnd: end, value } = area
  const posted = postedOf(follow(area, false), start, end)
  if (posted === value.slice(start, end) || event.clipboardData === null) return
  event.preventDefault()
  event.clipboardData.setData('text/plain', value.slice(start, end))
  event.clipboardData.setData(POSTED, posted)
  if (event.type === 'cut') insertPosted(area, '')
}

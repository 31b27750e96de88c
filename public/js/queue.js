// Improves the lists of what staff decide about: single keys, and what is released leads on to the next row.

import { selectAll, selectable } from './selection.js'
import { singleKey } from './single-keys.js'

const ROW = '[data-rows] > li'
/** Acts of the bar below a list. */
const [RELEASE, DELETE] = ['[value="release"]', ':is([value="reject"], [value="delete"])']

for (const place of document.querySelectorAll('.select-all'))
  if (place instanceof HTMLElement) selectAll(place)

/** @type {Record<string, () => boolean>} */
const acts = {
  j: () => step(1),
  k: () => step(-1),
  x: () => {
    const box = boxOf(current())
    box?.click()
    return box !== null
  },
  r: () => {
    if (isAnySelected()) return press(RELEASE)
    const button = current()?.querySelector('form.acts button')
    if (button instanceof HTMLButtonElement) button.click()
    return button !== undefined && button !== null
  },
  d: () => {
    if (!isAnySelected()) boxOf(current())?.click()
    return isAnySelected() && press(DELETE)
  },
}

// Before the keys of every page, of which some are the same.
document.addEventListener(
  'keydown',
  (event) => {
    const key = document.querySelector('dialog[open]') === null ? singleKey(event) : ''
    if (Object.hasOwn(acts, key) && acts[key]?.()) event.preventDefault()
  },
  true,
)

/** The row that has the focus. */
function current() {
  return document.activeElement?.closest(ROW) ?? null
}

/** @param {Element | null} row */
function boxOf(row) {
  return row?.querySelector('input') ?? null
}

function isAnySelected() {
  return selectable().some((box) => box.checked)
}

/** @param {string} act */
function press(act) {
  const button = document.querySelector(`#selection ${act}`)
  if (button instanceof HTMLButtonElement) button.click()
  return button !== null
}

/**
 * Moves the focus to the next or the previous row; from elsewhere to the first.
 * @param {1 | -1} direction
 */
function step(direction) {
  const rows = [...document.querySelectorAll(ROW)]
  const row = current()
  const at = row === null ? -1 : rows.indexOf(row)
  return focusOn(rows[at < 0 ? 0 : at + direction])
}

/** @param {Element | null | undefined} row */
function focusOn(row) {
  const link = row?.querySelector('a.cover')
  if (!(link instanceof HTMLElement)) return false
  link.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
  return true
}

/** Of the form that is being sent: the rows that are looked at after its own, and what was selected. */
let [next, selected] = /** @type {[string[], string[]]} */ ([[], []])

document.addEventListener('posting', ({ target }) => {
  const row = target instanceof Element ? target.closest(ROW) : null
  const rows = row === null ? [] : [...document.querySelectorAll(ROW)]
  const at = row === null ? -1 : rows.indexOf(row)
  next = [rows[at + 1], rows[at - 1]].map((one) => boxOf(one ?? null)?.value ?? '')
  selected = selectable().flatMap((box) => (box.checked ? box.value : []))
})

document.addEventListener('arrival', (event) => {
  for (const box of selectable()) box.checked ||= selected.includes(box.value)
  document.dispatchEvent(new Event('change'))
  const row = next.map((name) => selectable().find((box) => box.value === name)).find(Boolean)
  if (focusOn(row?.closest(ROW))) event.preventDefault()
})

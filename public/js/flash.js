import { announce } from './announce.js'

/** Acts of a person who goes on. */
const GOING_ON = ['pointerdown', 'keydown', 'wheel', 'touchmove']

/**
 * A page that opens at a fragment has its focus there, and not on the message of what was just done: that is said, and stays in
 * sight until the person goes on.
 * @param {Document} page
 */
export function sayFlash(page) {
  const text = page.querySelector('[data-flash]')
  if (location.hash === '' || text === null) return
  announce(text.textContent)
  const note = text.closest('.note')
  note?.classList.add('afloat')
  const settled = new AbortController()
  const settle = (/** @type {Event} */ { target }) => {
    // A press on its own button, such as Undo, must find that where it is.
    if (target instanceof Node && note?.contains(target)) return
    note?.classList.remove('afloat')
    settled.abort()
  }
  for (const kind of GOING_ON) page.addEventListener(kind, settle, { passive: true, signal: settled.signal })
}

import { isSending, newerPage } from './newer-page.js'
import { keepFocus, updateParts } from './parts.js'

/** The parts that say whether a question is resolved, and by which answer. */
const OF_STATE = '[data-of-state]'

/**
 * Brings what a question's page says of its state up to date.
 * @param {HTMLElement} note has the state the page was made in
 * @param {(root: ParentNode) => void} improve gives what is put in its behaviours
 * @param {() => void} shown is called when something was put in
 * @returns {(state: string) => Promise<void>} hears of the state the question is in now
 */
export function stateOf(note, improve, shown) {
  let known = note.dataset.state
  let isNew = false
  const show = async () => {
    if (!isNew || isSending()) return
    isNew = false
    try {
      const newer = await newerPage()
      const focused = document.activeElement
      const fresh = updateParts(newer, null, OF_STATE)
      for (const part of fresh) improve(part)
      keepFocus(focused, fresh)
      shown()
    } catch {
      // Nothing answers: the next connection tells it again.
      known = undefined
    }
  }
  document.addEventListener('sent-in-place', show)
  return (state) => {
    isNew ||= state !== known
    known = state
    return show()
  }
}

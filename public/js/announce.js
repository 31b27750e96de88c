/** Time in which a screen reader notices that the place was emptied: the same words again are said again then. */
const PAUSE_MS = 50
/** What was said in this time stays: what comes right after it is said behind it, not in its place. */
const RECENT_MS = 1000
let last = 0

/**
 * Says something to screen readers. The page has one place for it, which is there, and empty, from the start.
 * @param {string} text
 */
export function announce(text) {
  const place = document.querySelector('[data-announcements]')
  if (place === null || text.trim() === '') return
  if (Date.now() - last > RECENT_MS) place.textContent = ''
  last = Date.now()
  setTimeout(() => place.append(`${text.trim()} `), PAUSE_MS)
}

/** Time in which a screen reader notices that the place was emptied: the same words again are said again then. */
const PAUSE_MS = 50

/**
 * Says something to screen readers. The page has one place for it, which is there, and empty, from the start.
 * @param {string} text
 */
export function announce(text) {
  const place = document.querySelector('[data-announcements]')
  if (place === null) return
  place.textContent = ''
  setTimeout(() => {
    place.textContent = text.trim()
  }, PAUSE_MS)
}

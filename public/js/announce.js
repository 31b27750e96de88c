/**
 * Says something to screen readers. The page has one place for it.
 * @param {string} text
 */
export function announce(text) {
  const place = document.querySelector('[data-announcements]')
  if (place !== null) place.textContent = text.trim()
}

/** Which draft was sent from this tab last. */
const SENT = 'sent draft'

/**
 * Forgets the draft that was sent on this device, once a page says that it was taken: each such page has a flash message.
 * @param {Document} page
 */
export function settleDraft(page) {
  try {
    const key = sessionStorage.getItem(SENT)
    sessionStorage.removeItem(SENT)
    if (key !== null && page.querySelector('[data-flash]') !== null) localStorage.removeItem(key)
  } catch {
    // No storage, no drafts.
  }
}

/** The draft that was sent was not taken: it stays. */
export function unmarkSent() {
  try {
    sessionStorage.removeItem(SENT)
  } catch {
    // No storage, no drafts.
  }
}

/**
 * Until the next page says that it was taken, a draft may still be all there is of the text.
 * @param {string} key of the draft on this device
 */
export function markSent(key) {
  try {
    sessionStorage.setItem(SENT, key)
  } catch {
    // Not allowed: then nothing was kept either.
  }
}

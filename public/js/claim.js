/** How often a claim is renewed: it lasts for three minutes. */
const RENEW_MS = 60_000

/**
 * Says that somebody has a question open to answer it, as long as the page is looked at, so that colleagues see it.
 * @param {HTMLElement} place what has the form that says so
 */
export function claim(place) {
  const form = place.querySelector('form[action$="/claim"]')
  // On a phone the queue is there alone at first.
  if (!(form instanceof HTMLFormElement && place.checkVisibility())) return
  const tell = (/** @type {'0' | '1'} */ value) => {
    const body = new URLSearchParams({ value })
    for (const [name, field] of new FormData(form)) body.append(name, String(field))
    void fetch(form.action, { method: 'POST', body, keepalive: true, redirect: 'manual' }).catch(() => {})
  }
  const renew = () => {
    if (!form.isConnected) return end()
    if (document.visibilityState === 'visible') tell('1')
  }
  const end = () => {
    clearInterval(timer)
    window.removeEventListener('pagehide', end)
    document.removeEventListener('visibilitychange', renew)
    tell('0')
  }
  const timer = setInterval(renew, RENEW_MS)
  window.addEventListener('pagehide', end)
  window.addEventListener('pageshow', (event) => {
    if (event.persisted && form.isConnected) claim(place)
  })
  document.addEventListener('visibilitychange', renew)
  document.addEventListener('sent-in-place', () => form.isConnected || end(), { once: true })
  tell('1')
}

/**
 * A form is sent once: a second click while the first is under way does nothing (the server would make one post of both
 * anyway). Ctrl+Enter in a textarea sends its form.
 * @param {Document} page
 */
export function sendOnce(page) {
  page.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (form.dataset.sent !== undefined) event.preventDefault()
    else form.dataset.sent = ''
  })
  // Coming back by the back button finds the form ready again.
  window.addEventListener('pageshow', () => {
    for (const form of page.querySelectorAll('form[data-sent]')) form.removeAttribute('data-sent')
  })
  page.addEventListener('keydown', (event) => {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey)
    if (isSend && event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit()
  })
}

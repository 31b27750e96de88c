/**
 * A form is sent once: a second click while the first is under way does nothing (the server would make one post of both
 * anyway). Ctrl+Enter (Cmd+Enter) in a field of a post sends it as its default button does.
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
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat
    const { target } = event
    if (!isSend || !(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return
    if (target.form?.method !== 'post') return
    event.preventDefault()
    target.form.requestSubmit(defaultButton(target.form))
  })
}

/**
 * The button that sends a form by the keyboard: the one it names, or its first that does nothing else, such as Preview.
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement | null}
 */
export function defaultButton(form) {
  const own = [...form.elements]
    .filter((element) => element instanceof HTMLButtonElement)
    .filter(({ type, disabled, formNoValidate }) => type === 'submit' && !disabled && !formNoValidate)
  return own.find(({ dataset }) => dataset.default !== undefined) ?? own[0] ?? null
}

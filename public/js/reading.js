/**
 * Says that the page was read, once it is looked at: what was told of it is seen.
 * @param {HTMLElement} form
 */
export function tellRead(form) {
  if (!(form instanceof HTMLFormElement)) return
  form.querySelector('button')?.remove()
  const tell = () => {
    if (document.visibilityState === 'hidden') return
    document.removeEventListener('visibilitychange', tell)
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form)) body.append(name, String(value))
    void fetch(form.action, { method: 'POST', body, keepalive: true, redirect: 'manual' }).catch(() => {})
  }
  document.addEventListener('visibilitychange', tell)
  tell()
}

/**
 * Opens what was told last below the bell, which leads to the page of all of it without scripts, with a modifier key, and where
 * the forum can't be reached.
 * @param {HTMLElement} bell a link, before the empty panel
 */
export function openPanel(bell) {
  const panel = bell.nextElementSibling
  if (!(bell instanceof HTMLAnchorElement) || !(panel instanceof HTMLElement)) return
  const show = (/** @type {boolean} */ isOpen) => {
    panel.hidden = !isOpen
    bell.setAttribute('aria-expanded', String(isOpen))
  }
  show(false)
  bell.addEventListener('click', async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (!panel.hidden) return show(false)
    try {
      const answer = await fetch(bell.dataset.panel ?? '', { redirect: 'error' })
      if (!answer.ok) throw new Error(`no panel: ${answer.status}`)
      panel.innerHTML = await answer.text()
      show(true)
    } catch {
      location.assign(bell.href)
    }
  })
  for (const kind of ['click', 'focusin'])
    document.addEventListener(kind, ({ target }) => {
      if (!panel.hidden && target instanceof Node && bell.parentElement?.contains(target) === false)
        show(false)
    })
  document.addEventListener('keydown', ({ key, defaultPrevented }) => {
    if (key !== 'Escape' || defaultPrevented || panel.hidden) return
    const hadFocus = panel.contains(document.activeElement)
    show(false)
    if (hadFocus) bell.focus()
  })
}

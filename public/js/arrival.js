/**
 * Goes on where a form led that was sent in place, on pages that name their address: it becomes that of the one that came, what
 * happened is shown on it, and the focus moves to what it opened.
 * @param {Document} document
 */
export function listenForArrivals(document) {
  document.addEventListener('arrival', (event) => {
    if (event instanceof CustomEvent && arrive(event.detail.page, event.detail.fresh)) event.preventDefault()
  })
}

/**
 * @param {Document} page the one that came
 * @param {readonly HTMLElement[]} fresh the parts that were put in
 * @returns {boolean} whether the focus has a place
 */
function arrive(page, fresh) {
  const [now, next] = [document.querySelector('main'), page.querySelector('main')]
  const address = next?.dataset.address
  if (now === null || address === undefined) return false
  now.dataset.address = address
  history.replaceState(history.state, '', address)
  showFlash(page)
  const opened = fresh.find((part) => part.dataset.arrival !== undefined)
  const area = fresh.find((part) => part.matches('form'))?.querySelector('textarea')
  // It is read from its beginning, which is above the button that led there.
  opened?.focus({ preventScroll: true })
  opened?.scrollIntoView()
  if (opened === undefined) area?.focus()
  return opened !== undefined || Boolean(area)
}

/**
 * To be seen, with what undoes it: it is said where the page announces things.
 * @param {Document} page
 */
function showFlash(page) {
  const flash = page.querySelector('[data-flash]')?.parentElement
  for (const note of document.querySelectorAll('main > .note:has([data-flash])')) note.remove()
  const shown = flash ? [document.importNode(flash, true)] : []
  for (const text of shown.flatMap((note) => [...note.querySelectorAll('[data-flash]')])) {
    text.removeAttribute('data-flash')
    text.removeAttribute('role')
  }
  document.querySelector('[data-flash-place]')?.replaceChildren(...shown)
}

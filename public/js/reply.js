/**
 * Opening a reply form puts the cursor into it. In the same moment as the press: a phone shows its keyboard only then.
 * @param {Document} page
 */
export function openReplies(page) {
  page.addEventListener('click', (event) => {
    const summary =
      event.target instanceof Element
        ? event.target.closest(':is(.reply-details, .own-answer) > summary')
        : null
    const form = summary?.parentElement
    if (!(form instanceof HTMLDetailsElement) || form.open) return
    event.preventDefault()
    openReply(form)
  })
}

/** @param {HTMLDetailsElement} form */
export function openReply(form) {
  form.open = true
  const area = form.querySelector('textarea')
  // What was pressed stays where it is: the page moves only as far as the form would not be in sight.
  area?.focus({ preventScroll: true })
  area?.scrollIntoView({ block: 'nearest' })
}

// The search's own pages: their field, which is the masthead of a phone, and what is opened from their results.

import './openings.js'

const field = document.querySelector('.searching input[type="search"]')
const [back, clear] = ['back', 'clear'].map((name) => document.querySelector(`[data-${name}]`))

if (field instanceof HTMLInputElement) {
  // It may have had the focus before anyone listened: suggestions-soon.js.
  if (document.activeElement === field) field.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
  clear?.addEventListener('click', (event) => {
    event.preventDefault()
    field.value = ''
    field.focus()
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })
}
back?.addEventListener('click', (event) => {
  // Who came from elsewhere stays in the forum.
  if (!document.referrer.startsWith(`${location.origin}/`)) return
  event.preventDefault()
  history.back()
})

import { hintsFor } from '../../src/text/hints.ts'
import { later } from './later.js'

/** After a pause: nobody is corrected in the middle of a word. */
const PAUSE_MS = 1000

/**
 * Says what would make the question easier to answer while it is written. The texts wait in the page, each with its name in
 * `data-hint`; the place is a live region.
 * @param {HTMLElement} place
 */
export function showHints(place) {
  const form = place.closest('form')
  const [title, body] = [
    form?.querySelector('input[name="title"]'),
    form?.querySelector('textarea[name="body"]'),
  ]
  if (!(title instanceof HTMLInputElement && body instanceof HTMLTextAreaElement)) return
  const template = body.dataset.template ?? ''
  const show = () => {
    const hints = hintsFor({ title: title.value, body: body.value, template })
    for (const text of place.children) {
      if (!(text instanceof HTMLElement)) continue
      // A title has one word while its first one is typed.
      const isEarly = text.dataset.hint === 'title' && document.activeElement === title
      text.hidden = isEarly || !hints.some((hint) => hint === text.dataset.hint)
    }
  }
  const soon = later(show, PAUSE_MS)
  for (const field of [title, body]) {
    field.addEventListener('input', soon)
    field.addEventListener('change', soon)
    field.addEventListener('filled', soon)
  }
  if (body.value !== '') show()
}

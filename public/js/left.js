import { later } from './later.js'
import { postedText } from './shown-mentions.js'

/** The last tenth of the room is told. */
const TOLD_SHARE = 0.1
/** After a pause, so that screen readers do not count along. */
const PAUSE_MS = 400

/**
 * Says how many characters a field still takes when they become few, and how many are too many.
 * @param {HTMLElement} place
 */
export function showLeft(place) {
  const field = document.getElementById(place.dataset.for ?? '')
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  const max = Number(place.dataset.max)
  const rules = new Intl.PluralRules(document.documentElement.lang)
  const number = new Intl.NumberFormat(document.documentElement.lang)
  const show = () => {
    // Counted as the server counts: code points of the normal form.
    const left = max - [...postedText(field).trim().normalize('NFC')].length
    const { one = '', other = '', over = '' } = place.dataset
    const words = left < 0 ? over : rules.select(left) === 'one' ? one : other
    place.textContent = left > max * TOLD_SHARE ? '' : words.replace('#', number.format(Math.abs(left)))
    place.classList.toggle('error', left < 0)
  }
  field.addEventListener('input', later(show, PAUSE_MS))
  show()
}

import { isInFence } from '../../src/text/code-like.ts'
import { offerSuggestions } from './suggestion-box.js'

/** `@` with the beginning of a name up to the cursor: two words of it at most. */
const BEGINNING = /(?:^|[\s([{"'“‘「『,:;>—–-])@([^\s@[\]()`]{0,30}(?: [^\s@[\]()`]{1,20})?)$/u
/** Characters before the cursor that are looked at. */
const LOOKED_BACK = 80

/**
 * People under the text while one types `@`: choosing one puts a mention in the place of what was typed.
 * @param {HTMLElement} editor `data-people` on the list's place is where people are asked for
 * @param {HTMLTextAreaElement} area
 */
export function offerPeople(editor, area) {
  const place = editor.querySelector('[data-people]')
  if (!(place instanceof HTMLElement)) return
  const { people = '', label = '', found = '' } = place.dataset
  const status = document.createElement('p')
  status.className = 'visually-hidden'
  status.setAttribute('aria-live', 'polite')
  place.append(status)
  offerSuggestions(area, place, label, {
    find: async () => {
      const beginning = beginningOf(area)
      const suggestions = beginning === null ? [] : await peopleCalled(people, beginning)
      status.textContent = suggestions.length === 0 ? '' : found.replace('#', String(suggestions.length))
      return suggestions
    },
    choose: ({ name = '', id = '' }) => {
      const end = area.selectionStart
      const start = end - (beginningOf(area) ?? '').length - 1
      area.setRangeText(`@[${name.replace(/[[\]\n]/g, '')}](person:${id}) `, start, end, 'end')
      area.dispatchEvent(new Event('input', { bubbles: true }))
    },
  })
}

/**
 * What is typed of a name; null: the cursor is not behind one, or in code, where `@` is something else.
 * @param {HTMLTextAreaElement} area
 */
function beginningOf({ value, selectionStart, selectionEnd }) {
  if (selectionStart !== selectionEnd) return null
  const before = value.slice(0, selectionStart)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (/^(?: {4}|\t)/.test(line) || line.split('`').length % 2 === 0 || isInFence(before)) return null
  return BEGINNING.exec(before.slice(-LOOKED_BACK))?.[1] ?? null
}

/**
 * @param {string} address
 * @param {string} beginning
 */
async function peopleCalled(address, beginning) {
  const answer = await fetch(`${address}?${new URLSearchParams({ q: beginning })}`)
  if (!answer.ok || answer.redirected) return []
  const page = new DOMParser().parseFromString(`<ul>${await answer.text()}</ul>`, 'text/html')
  return [...page.querySelectorAll('li')].map((option) => ({
    text: option.textContent?.trim().replace(/\s+/g, ' ') ?? '',
    name: option.dataset.name ?? '',
    id: option.dataset.person ?? '',
  }))
}

import { isInFence } from '../../src/text/code-like.ts'
import { placeBelow } from './caret.js'
import { insertPosted, isMention } from './shown-mentions.js'

/** `@` with the beginning of a name up to the cursor: two words of it at most. */
const BEGINNING = /(?:^|[\s([{"'“‘「『,:;>—–-])@((?:[^\s@[\]()`]{1,30} )?[^\s@[\]()`]{0,30})$/u
/** Characters before the cursor that are looked at. */
const LOOKED_BACK = 80

/**
 * People at the cursor while one types `@`: Enter or Tab puts the first one, or the one chosen, in the place of what was typed.
 * @param {HTMLElement} editor `data-people` on the list's place is where people are asked for
 * @param {HTMLTextAreaElement} area
 * @param {typeof import('./suggestion-box.js').offerSuggestions} offer
 */
export function offerPeople(editor, area, offer) {
  const place = editor.querySelector('[data-people]')
  if (!(place instanceof HTMLElement)) return
  const { people = '', label = '', found, foundOne } = place.dataset
  /** What the list is for. */
  let asked = ''
  /** Where the `@` stands whose list was closed. */
  let closed = -1
  const startOf = (/** @type {string} */ beginning) => area.selectionStart - beginning.length - 1
  area.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closed = startOf(beginningOf(area) ?? '')
  })
  offer(area, place, label, {
    found,
    foundOne,
    find: async () => {
      const beginning = beginningOf(area)
      if (beginning === null || startOf(beginning) !== closed) closed = -1
      const isAsked = beginning !== null && closed < 0
      const suggestions = isAsked ? await peopleCalled(people, beginning) : []
      asked = beginning ?? ''
      return suggestions
    },
    takesTab: true,
    first: (suggestions) => {
      const beginning = beginningOf(area)
      if (beginning === null) return -1
      // The list may be for what was typed before.
      return suggestions.findIndex(({ name = '' }) => beginning === asked || beginsSo(name, beginning))
    },
    settle: (list) => placeBelow(area, startOf(beginningOf(area) ?? ''), list),
    choose: ({ name = '', id = '' }) => {
      const beginning = beginningOf(area) ?? ''
      area.setSelectionRange(startOf(beginning), area.selectionStart)
      const safe = name.replace(/[[\]\n]/g, '') || '-'
      insertPosted(area, id === '' ? `@${name} ` : `@[${safe}](person:${id}) `)
    },
  })
}

/**
 * What is typed of a name; null: the cursor is not behind one, or in code, where `@` is something else.
 * @param {HTMLTextAreaElement} area
 */
function beginningOf(area) {
  const { value, selectionStart, selectionEnd } = area
  if (selectionStart !== selectionEnd) return null
  const before = value.slice(0, selectionStart)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (/^(?: {4}|\t)/.test(line) || line.split('`').length % 2 === 0 || isInFence(before)) return null
  const beginning = BEGINNING.exec(before.slice(-LOOKED_BACK))?.[1] ?? null
  const isMeant = beginning !== null && isMention(area, selectionStart - beginning.length - 1)
  return isMeant || beginning?.endsWith(' ') ? null : beginning
}

/**
 * @param {string} name
 * @param {string} beginning of it, or of a word of it; a Korean syllable may be half of one
 */
function beginsSo(name, beginning) {
  const [whole, part] = [name, beginning].map(
    (text) => ` ${text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ı', 'i')}`,
  )
  return whole?.includes(part ?? '') ?? false
}

/**
 * @param {string} address
 * @param {string} beginning
 */
async function peopleCalled(address, beginning) {
  const answer = await fetch(`${address}?${new URLSearchParams({ q: beginning })}`)
  if (!answer.ok || answer.redirected) return []
  const page = new DOMParser().parseFromString(`<ul>${await answer.text()}</ul>`, 'text/html')
  return [...page.querySelectorAll('li')].map(({ textContent, dataset }) => ({
    text: textContent?.trim().replace(/\s+/g, ' ') ?? '',
    name: dataset.name ?? dataset.call ?? '',
    id: dataset.person ?? '',
  }))
}

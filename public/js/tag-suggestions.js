import { offerSuggestions } from './suggestion-box.js'

/** What stands between tags, as the server reads them (src/text/tag-name.ts). */
const COMMAS = /[,，、]/u

/**
 * Tags of the course under the field for tags while one is typed; choosing one puts it in the place of what was typed. The field
 * stays plain text with commas between.
 * @param {HTMLElement} place around the field
 */
export function suggestTags(place) {
  const input = place.querySelector('input[name="tags"]')
  if (!(input instanceof HTMLInputElement)) return
  place.classList.add('has-suggestions')
  const { course = '', label = '' } = place.dataset
  offerSuggestions(input, place, label, {
    find: async () => {
      const { typed, others } = tagsIn(input)
      if (typed === '') return []
      const answer = await fetch(`/questions/tags?${new URLSearchParams({ course, q: typed })}`)
      /** @type {{ suggestions: { text: string }[] }} */
      const { suggestions } = answer.ok ? await answer.json() : { suggestions: [] }
      return suggestions.filter(({ text }) => text !== typed && !others.includes(text))
    },
    choose: ({ text }) => {
      const { start, end } = tagsIn(input)
      const before = input.value.slice(0, start)
      const gap = before === '' || before.endsWith(' ') ? '' : ' '
      input.setRangeText(`${gap}${text}, `, start, end, 'end')
      input.dispatchEvent(new Event('input', { bubbles: true }))
    },
  })
}

/**
 * The tag that the cursor is in, where it stands, and all others.
 * @param {HTMLInputElement} input
 */
function tagsIn({ value, selectionStart }) {
  const cursor = selectionStart ?? value.length
  const start = Math.max(
    ...[...value.slice(0, cursor)].map((mark, at) => (COMMAS.test(mark) ? at + 1 : 0)),
    0,
  )
  const rest = value.slice(start).search(COMMAS)
  const end = rest < 0 ? value.length : start + rest
  const others = `${value.slice(0, start)},${value.slice(end)}`.split(COMMAS).map((tag) => tag.trim())
  return { start, end, typed: value.slice(start, end).trim().toLowerCase(), others }
}

import { offerSuggestions } from './suggestion-box.js'
import { chipTags } from './tag-chips.js'

// Where one can write, writing-soon.js loads these, too.
export { chipTags, offerSuggestions }

/** Characters from which on it is worth asking; a Korean syllable is enough. */
const SHORTEST = 2
const SYLLABLE = /[가-힣]/

/**
 * Questions under the search box while typing; choosing one leads there. Loaded by suggestions-soon.js.
 * @param {HTMLElement} form
 */
export function suggestQuestions(form) {
  const input = form.querySelector('input[type="search"]')
  if (!(input instanceof HTMLInputElement)) return
  offerSuggestions(input, form, form.dataset.suggestionsLabel ?? '', {
    find: async (typed) => {
      const text = typed.trim()
      if (text.length < SHORTEST && !SYLLABLE.test(text)) return []
      // With the course that is searched.
      const course = form.querySelector('input[name="course"]')?.getAttribute('value') ?? ''
      const answer = await fetch(`/search/suggestions?${new URLSearchParams({ q: text, course })}`)
      return answer.ok ? (await answer.json()).suggestions : []
    },
    found: form.dataset.found,
    choose: ({ path = '/' }) => location.assign(path),
  })
  // What was typed while this module was on its way.
  if (input.value !== input.defaultValue) input.dispatchEvent(new Event('input', { bubbles: true }))
}

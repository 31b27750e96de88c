import { offerSuggestions } from './suggestion-box.js'

/** Characters from which on it is worth asking; a Korean syllable is enough. */
const SHORTEST = 2
const SYLLABLE = /[가-힣]/

/**
 * Questions under the search box while typing; choosing one leads there.
 * @param {HTMLElement} form
 */
export function suggestQuestions(form) {
  const input = form.querySelector('input[type="search"]')
  if (!(input instanceof HTMLInputElement)) return
  offerSuggestions(input, form, form.dataset.suggestionsLabel ?? '', {
    find: async (typed) => {
      const text = typed.trim()
      if (text.length < SHORTEST && !SYLLABLE.test(text)) return []
      const answer = await fetch(`/search/suggestions?q=${encodeURIComponent(text)}`)
      return answer.ok ? (await answer.json()).suggestions : []
    },
    choose: ({ path = '/' }) => location.assign(path),
  })
}

/**
 * Loads the suggestions under the search box once that gets the focus: most who read search nothing. The address of the module is in
 * `data-module`.
 * @param {HTMLElement} form
 */
export function loadSuggestions(form) {
  form.addEventListener(
    'focusin',
    async () => {
      /** @type {typeof import('./suggestions.js')} */
      const { suggestQuestions } = await import(form.dataset.module ?? '')
      suggestQuestions(form)
    },
    { once: true },
  )
}

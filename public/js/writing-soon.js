/**
 * Loads what helps to write once a field for it comes near the window: most who read never write. The address of the module is in
 * `data-module`, what it is to do in `data-writing`. Until then, and without it, the plain form works.
 * @param {HTMLElement} element
 */
export function loadWriting(element) {
  const near = new IntersectionObserver(
    async (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      near.disconnect()
      const search = document.querySelector('form[data-suggestions-label]')
      /** @type {[typeof import('./writing.js'), typeof import('./suggestions.js')]} */
      const [{ improveWriting }, { chipTags, offerSuggestions }] = await Promise.all([
        import(element.dataset.module ?? ''),
        // The search box loads the same.
        import(search?.getAttribute('data-module') ?? ''),
      ])
      improveWriting(element, offerSuggestions)
      if (element.dataset.writing === 'tags') chipTags(element, offerSuggestions)
    },
    { rootMargin: '50%' },
  )
  near.observe(element)
}

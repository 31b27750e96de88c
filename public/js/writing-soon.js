import { offerSuggestions } from './suggestion-box.js'

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
      /** @type {typeof import('./writing.js')} */
      const { improveWriting } = await import(element.dataset.module ?? '')
      // The search box has loaded it already.
      improveWriting(element, offerSuggestions)
    },
    { rootMargin: '50%' },
  )
  near.observe(element)
}

import { newerPage } from './newer-page.js'
import { updateParts } from './parts.js'

/**
 * Brings an open desk up to date when something on it changes, such as a colleague taking a question.
 * @param {HTMLElement} place
 * @param {(root: ParentNode) => void} improve
 */
export function followDesk(place, improve) {
  let last = Promise.resolve()
  const source = new EventSource(place.dataset.live ?? '')
  source.addEventListener('desk', () => {
    last = last
      .then(async () => {
        for (const part of updateParts(await newerPage(), null)) improve(part)
      })
      // The page is being left, or nothing answers: the next change brings it up to date.
      .catch(() => {})
  })
  window.addEventListener('pagehide', () => source.close())
}

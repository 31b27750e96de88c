import { announce } from './announce.js'
import { isSending, newerPage } from './newer-page.js'
import { keepFocus, updateParts } from './parts.js'

/**
 * Brings an open desk up to date when something on it changes, such as a colleague taking a question: the focus stays, and what came
 * is said. What is posted from here is said by its answer, so that meanwhile nothing else is.
 * @param {HTMLElement} place has the words for it
 * @param {(root: ParentNode) => void} improve
 */
export function followDesk(place, improve) {
  let last = Promise.resolve()
  let isBehind = false
  const source = new EventSource(place.dataset.live ?? '')
  const show = () => {
    isBehind = isSending()
    if (isBehind) return
    last = last
      .then(async () => {
        const page = await newerPage()
        const focused = document.activeElement
        const [waiting, answers] = numbers()
        const fresh = updateParts(page, null)
        for (const part of fresh) improve(part)
        keepFocus(focused, fresh)
        const { waits = '', answered = '' } = place.dataset
        const [waitingNow, answersNow] = numbers()
        const news = [
          waitingNow > waiting && waits.replace('#', String(waitingNow - waiting)),
          answersNow > answers && answered,
          fresh.find((part) => part.matches('[role="status"]'))?.textContent,
        ].filter(Boolean)
        if (news.length > 0) announce(news.join(' '))
      })
      // The page is being left, or nothing answers: the next change brings it up to date.
      .catch(() => {})
  }
  source.addEventListener('desk', show)
  document.addEventListener('sent-in-place', () => isBehind && show())
  window.addEventListener('pagehide', () => source.close())
}

/** @returns {[number, number]} questions that wait, answers of the open one */
function numbers() {
  const waiting = document.querySelector('[data-waiting]')?.getAttribute('data-waiting')
  return [Number(waiting), document.querySelectorAll('.answer').length]
}

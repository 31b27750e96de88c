// What helps to write a post, loaded by writing-soon.js where one can write.

import { listenForArrivals } from './arrival.js'
import { claim } from './claim.js'
import { saveDraft } from './draft.js'
import { improveEditor } from './editor.js'
import { handleCase } from './handle.js'
import { showHints } from './hints.js'
import { showLeft } from './left.js'
import { sendAway } from './send-away.js'
import { notSending, showSending } from './sending.js'
import { suggestSimilar } from './similar.js'

/** @import { offerSuggestions } from './suggestion-box.js' */

/** @type {Record<string, (element: HTMLElement, offer: typeof offerSuggestions) => void>} */
const helps = {
  claim,
  draft: saveDraft,
  editor: improveEditor,
  handle: handleCase,
  hints: showHints,
  left: showLeft,
  similar: suggestSimilar,
}

listenForArrivals(document)
showSending(window)
sendAway(document)

/**
 * Leaves a form alone that was sent before this came.
 * @param {HTMLElement} element
 * @param {typeof offerSuggestions} offer
 */
export async function improveWriting(element, offer) {
  await notSending(element.closest('form') ?? element.querySelector('form'))
  for (const name of (element.dataset.writing ?? '').split(' ')) helps[name]?.(element, offer)
}

// Every behaviour is a module of its own, found by data-behaviour, and only improves a page that works without it.

import { ring } from './bell.js'
import { leaveKeysToComposition } from './composition.js'
import { copyLinks, offerCopies } from './copy.js'
import { sayFlash } from './flash.js'
import { sendInPlace } from './in-place.js'
import { listenForKeys, nameKeys } from './keys.js'
import { tellOfNews } from './live.js'
import { followDesk } from './live-desk.js'
import { closeMenus } from './menus.js'
import { rememberParts } from './parts.js'
import { tellRead } from './reading.js'
import { openReplies } from './reply.js'
import { sendOnce } from './send-once.js'
import { settleDraft } from './sent-draft.js'
import { loadSuggestions } from './suggestions-soon.js'
import { showCurrentTabs } from './tabs.js'
import { loadWriting } from './writing-soon.js'

/** @type {Record<string, (element: HTMLElement) => void>} */
const behaviours = {
  desk: (place) => followDesk(place, improve),
  bell: ring,
  reading: tellRead,
  live: (note) => tellOfNews(note, improve),
  suggestions: loadSuggestions,
  writing: loadWriting,
}

leaveKeysToComposition(window)
settleDraft(document)
improve(document)
sayFlash(document)
sendOnce(document)
sendInPlace(improve)
openReplies(document)
closeMenus(document)
copyLinks(document)
listenForKeys(document)
showCurrentTabs(document)

/** @param {ParentNode} root */
function improve(root) {
  rememberParts(root)
  nameKeys(root)
  offerCopies(root)
  const inside = [...root.querySelectorAll('[data-behaviour]')]
  for (const element of root instanceof HTMLElement ? [root, ...inside] : inside) {
    if (!(element instanceof HTMLElement)) continue
    for (const name of (element.dataset.behaviour ?? '').split(' ')) behaviours[name]?.(element)
  }
}

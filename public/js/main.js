// Every behaviour is a module of its own, found by data-behaviour, and only improves a page that works without it.

import { saveDraft, settleDraft } from './draft.js'
import { improveEditor } from './editor.js'
import { tellOfAnswers } from './live.js'
import { sendOnce } from './send-once.js'
import { suggestSimilar } from './similar.js'
import { suggestQuestions } from './suggestions.js'

/** @type {Record<string, (element: HTMLElement) => void>} */
const behaviours = {
  editor: improveEditor,
  draft: saveDraft,
  live: tellOfAnswers,
  similar: suggestSimilar,
  suggestions: suggestQuestions,
}

settleDraft()
for (const element of document.querySelectorAll('[data-behaviour]')) {
  if (!(element instanceof HTMLElement)) continue
  for (const name of (element.dataset.behaviour ?? '').split(' ')) behaviours[name]?.(element)
}
sendOnce(document)

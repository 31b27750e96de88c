import { announce } from './announce.js'
import { post } from './post.js'
import { defaultButton, isPost } from './send-once.js'
import { unmarkSent } from './sent-draft.js'

/** How long an answer takes until the form says that it is still being sent, in milliseconds. */
const SLOW_MS = 10_000

/** @type {WeakMap<HTMLFormElement, Element>} */
const notes = new WeakMap()

/**
 * Lets forms with `data-busy` say what becomes of them while no answer comes.
 * @param {Window} view
 */
export function showSending(view) {
  view.addEventListener('submit', ({ target }) => target instanceof HTMLFormElement && hush(target), true)
  view.addEventListener('posting', (event) => {
    if (!(event instanceof CustomEvent)) return
    /** @type {import('./in-place.js').Sending} */
    const sending = event.detail
    if (isPost(event.target, sending.submitter)) Object.assign(sending, { post: send, lost: stayOffline })
  })
}

/**
 * Posts a form's fields. Of a form with `data-busy` it says when no answer comes for long, and sends it again when asked to: the
 * server makes one post of both.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 * @param {Record<string, string>} headers
 * @returns {Promise<{ response: Response, text: string } | null>} null: nothing answers
 */
export async function send(form, submitter, headers) {
  for (;;) {
    const attempt = new AbortController()
    const slow = setTimeout(() => tell(form, 'slow', () => attempt.abort()), SLOW_MS)
    const answer = await post(form, submitter, headers, attempt.signal)
    clearTimeout(slow)
    hush(form)
    if (answer !== null || !attempt.signal.aborted) return answer
  }
}

/**
 * Once a form isn't being sent, or isn't any more: what is on its way is nobody's draft. One that was sent and taken is gone.
 * @param {HTMLFormElement | null} form
 * @returns {Promise<void>}
 */
export function notSending(form) {
  return new Promise((resolve) => {
    if (form?.dataset.sent === undefined) return resolve()
    new MutationObserver((_, watch) => {
      if (form.dataset.sent !== undefined) return
      watch.disconnect()
      if (form.isConnected) resolve()
    }).observe(form, { attributeFilter: ['data-sent'] })
  })
}

/**
 * Nothing answers: the form stays, with its text, and can be sent again.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
export function stayOffline(form, submitter) {
  unmarkSent()
  form.removeAttribute('data-sent')
  tell(form, 'offline', () => form.requestSubmit(submitter))
  form.dispatchEvent(new Event('unsent', { bubbles: true }))
}

/**
 * @param {HTMLFormElement} form
 * @param {'slow' | 'offline'} state
 * @param {() => void} again
 */
function tell(form, state, again) {
  const template = document.querySelector('template[data-sending]')
  const row = defaultButton(form)?.parentElement
  if (!(template instanceof HTMLTemplateElement) || !row || form.dataset.busy === undefined) return
  hush(form)
  const note = template.content.querySelector(`[data-state="${state}"]`)?.cloneNode(true)
  if (!(note instanceof HTMLElement)) return
  note.querySelector('button')?.addEventListener('click', () => {
    hush(form)
    again()
  })
  notes.set(form, note)
  row.after(note)
  announce(note.querySelector('span')?.textContent ?? '')
}

/** @param {HTMLFormElement} form */
function hush(form) {
  notes.get(form)?.remove()
}

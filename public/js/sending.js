import { announce } from './announce.js'
import { post } from './post.js'
import { defaultButton } from './send-once.js'
import { unmarkSent } from './sent-draft.js'

/** How long an answer takes until the form says that it is still being sent, in milliseconds. */
const SLOW_MS = 10_000

/** What makes a form as it was before it was sent. @type {Map<HTMLFormElement, () => void>} */
const busy = new Map()
/** @type {WeakMap<HTMLFormElement, Element>} */
const notes = new WeakMap()

/**
 * The button of a form with `data-busy` says that text from the press until the answer.
 * @param {Window} view
 */
export function showSending(view) {
  // Before anyone holds the form back, as the draft that is being saved does.
  view.addEventListener(
    'submit',
    ({ target, submitter }) => isPost(target, submitter) && begin(target, submitter),
    true,
  )
  view.addEventListener('posting', (event) => {
    if (!(event instanceof CustomEvent)) return
    /** @type {import('./in-place.js').Sending} */
    const sending = event.detail
    if (isPost(event.target, sending.submitter))
      Object.assign(sending, { post: send, lost: stayOffline, end: endSending })
  })
  view.addEventListener('pageshow', () => {
    for (const form of busy.keys()) endSending(form)
  })
}

/**
 * Whether a form is being sent to post a text, and not for its preview or for a picture.
 * @param {EventTarget | null} form
 * @param {HTMLElement | null} submitter
 * @returns {form is HTMLFormElement}
 */
export function isPost(form, submitter) {
  const isOther = submitter instanceof HTMLButtonElement && submitter.formNoValidate
  return form instanceof HTMLFormElement && form.dataset.busy !== undefined && !isOther
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
 * Nothing answers: the form stays, with its text, and can be sent again.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
export function stayOffline(form, submitter) {
  unmarkSent()
  form.removeAttribute('data-sent')
  tell(form, 'offline', () => form.requestSubmit(submitter))
  endSending(form)
}

/** @param {HTMLFormElement} form */
export function endSending(form) {
  busy.get(form)?.()
  busy.delete(form)
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
function begin(form, submitter) {
  const button = submitter ?? defaultButton(form)
  if (button === null || busy.has(form)) return
  hush(form)
  const { busy: text = '' } = form.dataset
  const content = [...button.childNodes]
  // Its place and width stay.
  button.style.minWidth = `${button.getBoundingClientRect().width}px`
  button.setAttribute('aria-disabled', 'true')
  button.replaceChildren(text)
  announce(text)
  busy.set(form, () => {
    button.style.minWidth = ''
    button.removeAttribute('aria-disabled')
    button.replaceChildren(...content)
  })
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

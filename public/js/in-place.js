import { announce } from './announce.js'
import { arriveAt, isSamePage, keepFocus, updateParts } from './parts.js'
import { placeOf, post } from './post.js'
import { endSending } from './send-once.js'
import { settleDraft } from './sent-draft.js'

/**
 * How a form is sent in place: its 'posting' event lets the helps for writing (sending.js) take their part in it.
 * @typedef {{
 *   post: typeof post,
 *   submitter: HTMLElement | null,
 *   lost: (form: HTMLFormElement, submitter: HTMLElement | null) => void,
 * }} Sending
 */

/**
 * Sends the forms that say `data-in-place` without leaving the page: the answer is the page the form leads to, and its parts
 * are put in where they changed. Scroll, history and the focus stay.
 * @param {(root: ParentNode) => void} improve gives what is put in its behaviours
 */
export function sendInPlace(improve) {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (event.defaultPrevented || !(form instanceof HTMLFormElement) || !('inPlace' in form.dataset)) return
    const submitter = event.submitter instanceof HTMLButtonElement ? event.submitter : null
    // Another button of the form, such as Preview, leads elsewhere.
    if (submitter?.hasAttribute('formaction')) return
    event.preventDefault()
    void send(form, submitter, improve)
  })
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} submitter
 * @param {(root: ParentNode) => void} improve
 */
async function send(form, submitter, improve) {
  const undo = pressVote(submitter)
  /** @type {Sending} */
  const sending = { post, submitter, lost: tellLost }
  form.dispatchEvent(new CustomEvent('posting', { bubbles: true, detail: sending }))
  const answer = await sending.post(form, submitter, { accept: 'text/html' })
  form.removeAttribute('data-sent')
  endSending(form)
  // The page that came says what counts.
  undo()
  if (answer === null) return sending.lost(form, submitter)
  const { response, text } = answer
  const page = new DOMParser().parseFromString(text, 'text/html')
  // Signing in, or the page of something else.
  if (new URL(response.url).pathname !== placeOf(form).pathname && response.redirected)
    return location.assign(response.url)
  if (isSamePage(page)) show(page, form, submitter, improve)
  else
    tellRefusal(form, [...page.querySelectorAll('[data-flash], main h1, main h1 + p')].map(textOf).join('. '))
  document.dispatchEvent(new Event('sent-in-place'))
}

/** @param {Element} element */
const textOf = (element) => element.textContent.trim()

/** @param {HTMLFormElement} form */
function tellLost(form) {
  const template = document.querySelector('template[data-sending]')
  tellRefusal(form, template?.getAttribute('data-offline'))
}

/**
 * @param {Document} page
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} submitter
 * @param {(root: ParentNode) => void} improve
 */
function show(page, form, submitter, improve) {
  settleDraft(page)
  // The reader may have moved on meanwhile. In some browsers a click does not focus a button.
  const focused = document.activeElement === document.body ? submitter : document.activeElement
  const fresh = updateParts(page, form)
  for (const part of fresh) improve(part)
  const [error] = fresh.flatMap((part) => [...part.querySelectorAll('.error-summary, [data-focus]')])
  const post = fresh.find((part) => part.matches('.answer, .reply'))
  const arrival = { cancelable: true, detail: { page, fresh } }
  if (error instanceof HTMLElement) error.focus()
  else if (document.dispatchEvent(new CustomEvent('arrival', arrival)))
    post === undefined ? keepFocus(focused, fresh) : arriveAt(post)
  announce(page.querySelector('[data-flash]')?.textContent ?? '')
}

/**
 * A vote shows at once; the page that comes back has the number that counts.
 * @param {HTMLButtonElement | null} button
 * @returns {() => void} takes it back
 */
function pressVote(button) {
  const number = button?.querySelector('b')
  if (button === null || !number || !button.hasAttribute('aria-pressed')) return () => {}
  const [was, count] = [button.getAttribute('aria-pressed') === 'true', number.textContent]
  button.setAttribute('aria-pressed', String(!was))
  number.textContent = String(Number(count) + (was ? -1 : 1))
  return () => {
    button.setAttribute('aria-pressed', String(was))
    number.textContent = count
  }
}

/**
 * Says beside the form why it was not taken; what was typed stays.
 * @param {HTMLFormElement} form
 * @param {string | null | undefined} reason
 */
function tellRefusal(form, reason) {
  form.querySelector('.refusal')?.remove()
  const note = document.createElement('p')
  note.className = 'note alarm refusal'
  note.setAttribute('role', 'alert')
  note.textContent = reason ?? ''
  form.prepend(note)
}

import { keepFocus, updateParts } from './parts.js'
import { settleDraft } from './sent-draft.js'

/**
 * Sends the forms that say `data-in-place` without leaving the page: the answer is the page the form leads to, and its parts
 * are put in where they changed. Scroll, history and the focus stay. Anything unexpected falls back to the plain form.
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
  const answer = await post(form, submitter)
  form.removeAttribute('data-sent')
  // The page that came says what counts.
  undo()
  if (answer === null) {
    // No connection, or no page: the plain form says what is wrong.
    form.removeAttribute('data-in-place')
    return form.requestSubmit(submitter)
  }
  const { response, page } = answer
  // Signing in, or the page of something else.
  if (new URL(response.url).pathname !== location.pathname && response.redirected)
    return location.assign(response.url)
  if (response.ok || response.status === 422) show(page, form, submitter, improve)
  else tellRefusal(form, page)
  document.dispatchEvent(new Event('sent-in-place'))
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLButtonElement | null} submitter
 * @returns {Promise<{ response: Response, page: Document } | null>} null: no page came
 */
async function post(form, submitter) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value)
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } })
    return { response, page: new DOMParser().parseFromString(await response.text(), 'text/html') }
  } catch {
    return null
  }
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
  const error = document.querySelector('.error-summary')
  const post = fresh.find((part) => part.matches('.answer, .reply'))
  if (error instanceof HTMLElement) error.focus()
  else if (post !== undefined) arriveAt(post)
  else keepFocus(focused, fresh)
  announce(page.querySelector('[data-flash]')?.textContent ?? '')
}

/** @param {HTMLElement} post */
function arriveAt(post) {
  post.tabIndex = -1
  post.classList.add('arrived')
  post.focus({ preventScroll: true })
  post.scrollIntoView({ block: 'nearest' })
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
 * Says beside the form why the server refused; what was typed stays.
 * @param {HTMLFormElement} form
 * @param {Document} page
 */
function tellRefusal(form, page) {
  form.querySelector('.refusal')?.remove()
  const note = document.createElement('p')
  note.className = 'note alarm refusal'
  note.setAttribute('role', 'alert')
  note.textContent = page.querySelector('main h1')?.textContent ?? ''
  form.prepend(note)
}

/** @param {string} text */
function announce(text) {
  const place = document.querySelector('[data-announcements]')
  if (place !== null) place.textContent = text.trim()
}

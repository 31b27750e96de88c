import { announce } from './announce.js'

/** What makes a form as it was before it was sent. @type {Map<HTMLFormElement, () => void>} */
const busy = new Map()

/**
 * A form is sent once: a second click while the first is under way does nothing (the server would make one post of both
 * anyway), and the button of one with `data-busy` says that text until the answer. Ctrl+Enter (Cmd+Enter) in a field of a post sends it as its default button does.
 * @param {Document} page
 */
export function sendOnce(page) {
  // Before anyone holds the form back, as the draft that is being saved does.
  page.addEventListener(
    'submit',
    ({ target, submitter }) => isPost(target, submitter) && begin(target, submitter),
    true,
  )
  page.addEventListener('unsent', ({ target }) => target instanceof HTMLFormElement && endSending(target))
  page.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
    if (form.dataset.sent !== undefined) event.preventDefault()
    else form.dataset.sent = ''
  })
  // Coming back by the back button finds the form ready again.
  window.addEventListener('pageshow', () => {
    for (const form of page.querySelectorAll('form[data-sent]')) form.removeAttribute('data-sent')
    for (const form of busy.keys()) endSending(form)
  })
  page.addEventListener('keydown', (event) => {
    const isSend = event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !event.repeat
    const { target } = event
    if (!isSend || !(target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement)) return
    if (target.form?.method !== 'post') return
    event.preventDefault()
    target.form.requestSubmit(defaultButton(target.form))
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
 * The button that sends a form by the keyboard: the one it names, or its first that does nothing else, such as Preview.
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement | null}
 */
export function defaultButton(form) {
  const own = [...form.elements]
    .filter((element) => element instanceof HTMLButtonElement)
    .filter(({ type, disabled, formNoValidate }) => type === 'submit' && !disabled && !formNoValidate)
  return own.find(({ dataset }) => dataset.default !== undefined) ?? own[0] ?? null
}

import { openReply } from './reply.js'
import { areOn, remember, singleKey } from './single-keys.js'

/**
 * Single keys: / to search, j and k through a list, n to what is unread, r to reply, ? for the list of them, and those that controls name in data-key. They work wherever nobody is typing,
 * unless the dialog's box is unticked.
 * @param {Document} page
 */
export function listenForKeys(page) {
  const dialog = page.querySelector('dialog[data-keys]')
  if (!(dialog instanceof HTMLDialogElement)) return
  for (const button of page.querySelectorAll('button[data-opens-keys]'))
    button.addEventListener('click', () => dialog.showModal())
  const box = dialog.querySelector('input')
  if (box !== null) {
    box.checked = areOn()
    box.addEventListener('change', () => {
      remember(box.checked)
      nameKeys(page)
    })
  }
  /** @type {Record<string, () => boolean>} */
  const acts = {
    '/': () => search(page),
    '?': () => open(dialog),
    j: () => press(page, 'j') || step(page, 1),
    k: () => press(page, 'k') || step(page, -1),
    n: () => toUnread(page),
    r: () => press(page, 'r') || reply(page),
  }
  page.addEventListener('keydown', (event) => {
    const key = singleKey(event)
    if (!dialog.open && (Object.hasOwn(acts, key) ? acts[key]?.() : press(page, key))) event.preventDefault()
  })
}

/**
 * Says of the controls that have a key which one it is, as long as the keys are on.
 * @param {ParentNode} root
 */
export function nameKeys(root) {
  for (const control of root.querySelectorAll('[data-key]'))
    if (areOn()) control.setAttribute('aria-keyshortcuts', control.getAttribute('data-key') ?? '')
    else control.removeAttribute('aria-keyshortcuts')
}

/**
 * Uses the control that names the key in data-key: a text box gets the focus, all others are clicked. E is a key of posts: of the
 * one that has the focus, and of no other.
 * @param {Document} page
 * @param {string} key
 */
function press(page, key) {
  const place = key === 'e' ? page.activeElement?.closest('.post') : page
  const control = place?.querySelector(`[data-key="${CSS.escape(key)}"]`)
  if (!(control instanceof HTMLElement)) return false
  const isText = control.localName === 'textarea'
  if (isText) control.closest('details')?.setAttribute('open', '')
  control.focus()
  if (!isText) control.click()
  return true
}

/** @param {HTMLDialogElement} dialog */
function open(dialog) {
  dialog.showModal()
  return true
}

/**
 * To the search box; to the search page where there is no room for one.
 * @param {Document} page
 */
function search(page) {
  const box = page.querySelector('header input[type="search"]')
  if (box instanceof HTMLInputElement && box.checkVisibility()) {
    box.focus()
    box.select()
    return true
  }
  const link = page.querySelector('.to-search')
  if (link instanceof HTMLElement) link.click()
  return link !== null
}

/**
 * Moves the focus to the next or the previous title of a list; from elsewhere to the first.
 * @param {Document} page
 * @param {1 | -1} direction
 */
function step(page, direction) {
  const links = [...page.querySelectorAll(':is(.rows, .result-list) h2 a')]
  const row = page.activeElement?.closest('li')
  const at = links.findIndex((link) => link.closest('li') === row)
  const next = links[at < 0 ? 0 : at + direction]
  if (!(next instanceof HTMLElement)) return false
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
  return true
}

/**
 * Moves the focus to the next question of a list, or post of a question, that is unread; after the last one to the first.
 * @param {Document} page
 */
function toUnread(page) {
  const posts = [...page.querySelectorAll('.fresh:not(:empty)')].map((mark) => mark.closest('.reply, .post'))
  const unread = [...page.querySelectorAll('.question-row.unread h2 a'), ...posts]
  const { activeElement: from } = page
  const isAfter = (/** @type {Node} */ place) =>
    from === null || Boolean(from.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING)
  const next = unread.find((one) => one !== null && isAfter(one)) ?? unread[0]
  if (!(next instanceof HTMLElement)) return false
  if (!(next instanceof HTMLAnchorElement)) next.tabIndex = -1
  next.closest('details')?.setAttribute('open', '')
  next.focus({ preventScroll: true })
  next.scrollIntoView({ block: 'nearest' })
  return true
}

/**
 * Opens the reply form of the post that has the focus, or of the question.
 * @param {Document} page
 */
function reply(page) {
  const own = 'details.reply-details'
  const form = page.activeElement?.closest('.post')?.querySelector(own) ?? page.querySelector(own)
  if (!(form instanceof HTMLDetailsElement)) return false
  openReply(form)
  return true
}

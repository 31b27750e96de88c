// Parts of a page have a name in data-part. A part that holds other parts keeps what stands between them.

/** What the server sent of each part, before scripts improved it: that alone tells whether a newer page differs. */
const served = new WeakMap()

/**
 * Remembers the parts as the server sent them. To be called before anything changes them.
 * @param {ParentNode} root
 */
export function rememberParts(root) {
  const inside = [...root.querySelectorAll('[data-part]')]
  for (const part of root instanceof HTMLElement ? [root, ...inside] : inside)
    if (part instanceof HTMLElement && !served.has(part)) served.set(part, withoutToken(part))
}

/**
 * Brings the parts of the page, and its title, up to those of a newer version of it. A part with text that somebody is typing
 * stays as it is, and what nobody here sent replaces no part that holds a text box at all.
 * @param {Document} newer the same page, as the server shows it now; another one, such as that to sign in, changes nothing
 * @param {HTMLElement | null} sent the form that asked for it: what was typed there was taken, or comes back with the newer page
 * @param {string} only a selector of the parts that are meant
 * @returns {HTMLElement[]} the parts that were put in
 */
export function updateParts(newer, sent, only = '*') {
  if (!isSamePage(newer)) return []
  // It is for pages that open; here the focus is moved on purpose.
  for (const element of newer.querySelectorAll('[autofocus]')) element.removeAttribute('autofocus')
  document.title = newer.title
  const parts = partsOf(newer)
  const names = new Set(parts.map(nameOf))
  for (const part of partsOf(document))
    if (part.matches(only) && !names.has(nameOf(part)) && (isOf(part, sent) || !isInUse(part))) part.remove()
  return parts.flatMap((part) => {
    const now = partNamed(document, nameOf(part))
    if (now !== null) return part.matches(only) || part.querySelector(only) ? update(now, part, sent) : []
    return part.matches(only) ? insert(part) : []
  })
}

/**
 * Whether a page is the one that is open, in whatever state.
 * @param {Document} newer
 */
export function isSamePage(newer) {
  return newer.querySelector('main')?.dataset.page === document.querySelector('main')?.dataset.page
}

/**
 * Gives the focus to the control that took the place of one that had it: the same link, key or button of the same form; else to the
 * part that it was in, or to the page.
 * @param {Element | null} focused
 * @param {readonly HTMLElement[]} fresh the parts that were put in
 */
export function keepFocus(focused, fresh) {
  if (!(focused instanceof HTMLElement) || focused.isConnected) return
  const name = ['href', 'data-key', 'name'].find((one) => focused.getAttribute(one))
  const same = `${focused.localName}[${name}="${CSS.escape(focused.getAttribute(name ?? '') ?? '')}"]`
  const others = name === undefined ? [] : fresh.flatMap((part) => [...part.querySelectorAll(same)])
  const other = others.find((one) => formOf(one) === formOf(focused))
  const around = focused.closest('[data-part]')
  const part = around instanceof HTMLElement ? partNamed(document, nameOf(around)) : null
  if (other === undefined && part !== null) part.tabIndex = -1
  const next = other ?? part ?? document.querySelector('main')
  if (next instanceof HTMLElement) next.focus({ preventScroll: true })
}

/** @param {HTMLElement} post that was put in */
export function arriveAt(post) {
  post.tabIndex = -1
  post.classList.add('arrived')
  post.focus({ preventScroll: true })
  post.scrollIntoView({ block: 'nearest' })
}

/**
 * Where a button's form is posted.
 * @param {Element} control
 */
function formOf(control) {
  return control instanceof HTMLButtonElement ? control.form?.action : undefined
}

/**
 * @param {HTMLElement} now
 * @param {HTMLElement} next
 * @param {HTMLElement | null} sent
 * @returns {HTMLElement[]}
 */
function update(now, next, sent) {
  if (now.className !== next.className) now.className = next.className
  now.hidden = next.hidden
  if (next.querySelector('[data-part]') !== null) return []
  // A form that was sent starts afresh, also where the server shows it as before.
  if (!isOf(now, sent)) {
    const isSame = (served.get(now) ?? withoutToken(now)) === withoutToken(next)
    if (isSame || isInUse(now) || (sent === null && now.querySelector('textarea') !== null)) return []
  }
  const fresh = document.importNode(next, true)
  now.replaceWith(fresh)
  return [fresh]
}

/**
 * Puts a part that is new where the newer page has it: behind its neighbour, or first in the part around it.
 * @param {HTMLElement} part
 * @returns {HTMLElement[]}
 */
function insert(part) {
  const around = part.parentElement?.closest('[data-part]')
  const place = around instanceof HTMLElement ? partNamed(document, nameOf(around)) : null
  // It came in with the part around it.
  if (place === null) return []
  const fresh = document.importNode(part, true)
  const before = neighbour(part)
  if (before === null) place.prepend(fresh)
  else before.after(fresh)
  return [fresh]
}

/** @param {HTMLElement} part */
function neighbour(part) {
  for (
    let sibling = part.previousElementSibling;
    sibling !== null;
    sibling = sibling.previousElementSibling
  ) {
    if (!(sibling instanceof HTMLElement) || sibling.dataset.part === undefined) continue
    const known = partNamed(document, nameOf(sibling))
    if (known !== null) return known
  }
  return null
}

/**
 * @param {HTMLElement} part
 * @param {HTMLElement | null} sent
 */
function isOf(part, sent) {
  return sent !== null && part.contains(sent)
}

/**
 * Somebody is typing in it, or was.
 * @param {HTMLElement} part
 */
function isInUse(part) {
  const fields = [...part.querySelectorAll('textarea, input:not([type="hidden"]), select')]
  return fields.some(
    (field) =>
      field === document.activeElement ||
      (field instanceof HTMLTextAreaElement && field.value !== field.defaultValue),
  )
}

/**
 * Each page has tokens of its own: they alone make no difference.
 * @param {HTMLElement} part
 */
function withoutToken(part) {
  return part.innerHTML.replaceAll(/name="_csrf" value="[^"]*"/g, '')
}

/** @param {Document} page */
function partsOf(page) {
  return [...page.querySelectorAll('[data-part]')].filter((part) => part instanceof HTMLElement)
}

/** @param {HTMLElement} part */
function nameOf(part) {
  return part.dataset.part ?? ''
}

/**
 * @param {Document} page
 * @param {string} name
 * @returns {HTMLElement | null}
 */
function partNamed(page, name) {
  return page.querySelector(`[data-part="${CSS.escape(name)}"]`)
}

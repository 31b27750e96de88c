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
 * Brings the parts of the page up to those of a newer version of it. A part with text that somebody is typing stays as it is.
 * @param {Document} newer the same page, as the server shows it now
 * @param {HTMLElement | null} sent the form that asked for it: what was typed there was taken, or comes back with the newer page
 * @returns {HTMLElement[]} the parts that were put in
 */
export function updateParts(newer, sent) {
  // It is for pages that open; here the focus is moved on purpose.
  for (const element of newer.querySelectorAll('[autofocus]')) element.removeAttribute('autofocus')
  const parts = partsOf(newer)
  const names = new Set(parts.map(nameOf))
  for (const part of partsOf(document)) if (!names.has(nameOf(part))) part.remove()
  return parts.flatMap((part) => {
    const now = partNamed(document, nameOf(part))
    return now === null ? insert(part) : update(now, part, sent)
  })
}

/**
 * The element of the page that takes the place of another one of its part: the same control of the same form.
 * @param {HTMLElement} part
 * @param {Element} control
 * @returns {HTMLButtonElement | null}
 */
export function counterpart(part, control) {
  if (!(control instanceof HTMLButtonElement) || control.name === '') return null
  const action = control.form?.action
  const buttons = part.querySelectorAll(`button[name="${CSS.escape(control.name)}"]`)
  for (const button of buttons)
    if (button instanceof HTMLButtonElement && button.form?.action === action) return button
  return null
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
  const isSent = sent !== null && now.contains(sent)
  const isSame = (served.get(now) ?? withoutToken(now)) === withoutToken(next)
  if (!isSent && (isSame || isBeingTyped(now))) return []
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

/** @param {HTMLElement} part */
function isBeingTyped(part) {
  return [...part.querySelectorAll('textarea')].some((area) => area.value !== area.defaultValue)
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

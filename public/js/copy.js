import { announce } from './announce.js'

/** How long a button shows that it has copied. */
const SAID_MS = 2000
let copies = 0

/**
 * Gives each code block a button that copies it. The button waits in a <template> of the page.
 * @param {ParentNode} root
 */
export function offerCopies(root) {
  const template = document.querySelector('template[data-copy]')
  if (!(template instanceof HTMLTemplateElement) || navigator.clipboard === undefined) return
  for (const block of root.querySelectorAll('.prose pre')) {
    const frame = document.createElement('div')
    frame.className = 'code'
    block.replaceWith(frame)
    frame.append(block, template.content.cloneNode(true))
    const button = frame.querySelector('button')
    // No two of a page have the same name.
    button?.querySelector('span')?.append(` ${++copies}`)
    button?.addEventListener('click', () => copy(block.textContent ?? '', button))
  }
}

/**
 * Links to a post copy its address, where the page may.
 * @param {Document} page
 */
export function copyLinks(page) {
  if (navigator.clipboard === undefined) return
  page.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[data-copy-link]') : null
    if (!(link instanceof HTMLAnchorElement)) return
    event.preventDefault()
    void copy(`${location.origin}${location.pathname}${link.hash}`, link)
  })
}

/**
 * The button beside an address copies it, where the page may.
 * @param {HTMLButtonElement} button
 */
export function copyAddress(button) {
  const field = button.parentElement?.querySelector('input')
  if (!field || navigator.clipboard === undefined) return
  button.hidden = false
  button.addEventListener('click', () => copy(field.value, button))
}

/**
 * @param {string} text
 * @param {HTMLElement} button
 */
async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text.replace(/\n$/, ''))
  } catch {
    // Not allowed: the text can still be selected.
    return
  }
  button.dataset.said = ''
  announce(button.dataset.copied ?? '')
  setTimeout(() => button.removeAttribute('data-said'), SAID_MS)
}

import { announce } from './announce.js'

/**
 * A page that opens at a fragment has its focus there, and not on the message of what was just done: that is said.
 * @param {Document} page
 */
export function sayFlash(page) {
  if (location.hash !== '') announce(page.querySelector('[data-flash]')?.textContent ?? '')
}

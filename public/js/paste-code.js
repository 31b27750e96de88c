import { isInFence, looksLikeCode } from '../../src/text/code-like.ts'
import { announce } from './announce.js'

/**
 * Text of several lines that looks like code or a stack trace is offered a code block after it was pasted; nothing happens
 * unless the button is pressed.
 * @param {HTMLElement} editor with an offer in `[data-code-offer]`
 * @param {HTMLTextAreaElement} area
 */
export function offerCodeBlocks(editor, area) {
  const offer = editor.querySelector('[data-code-offer]')
  const button = offer?.querySelector('button')
  if (!(offer instanceof HTMLElement) || !(button instanceof HTMLButtonElement)) return
  area.addEventListener('paste', ({ clipboardData }) => {
    const text = clipboardData?.getData('text/plain').replaceAll('\r\n', '\n') ?? ''
    const at = area.selectionStart
    offer.hidden = true
    if (!looksLikeCode(text) || isInFence(area.value.slice(0, at))) return
    offer.hidden = false
    announce(offer.querySelector('span')?.textContent ?? '')
    button.onclick = () => {
      offer.hidden = true
      const start = area.value.indexOf(text, Math.max(0, at - 1))
      if (start >= 0) fence(area, start, text)
      area.focus()
    }
  })
  // Typing on says no.
  area.addEventListener('keydown', () => {
    offer.hidden = true
  })
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {number} start
 * @param {string} text
 */
function fence(area, start, text) {
  const before = start === 0 || area.value[start - 1] === '\n' ? '' : '\n'
  area.setRangeText(
    `${before}\`\`\`\n${text.replace(/\n+$/, '')}\n\`\`\`\n`,
    start,
    start + text.length,
    'end',
  )
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Where this device remembers that single keys are switched off (WCAG 2.1.4). */
const OFF = 'keys off'

/**
 * The key of an event that may act by itself; empty: with another key, while somebody is typing, or where they are switched off.
 * @param {KeyboardEvent} event
 */
export function singleKey(event) {
  const isTaken = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
  return isTaken || isTyping(event.target) || !areOn() ? '' : letterOf(event)
}

/**
 * The Latin letter on the key, also while another layout is on: with the Korean one, `j` is ㅓ.
 * @param {KeyboardEvent} event
 */
function letterOf({ key, code }) {
  return /^Key[A-Z]$/.test(code) && !/^[ -~]$/.test(key) ? code.slice(3).toLowerCase() : key
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  return target instanceof Element && target.closest('input,textarea,select,[contenteditable]') !== null
}

export function areOn() {
  try {
    return localStorage.getItem(OFF) === null
  } catch {
    return true
  }
}

/** @param {boolean} isOn */
export function remember(isOn) {
  try {
    if (isOn) localStorage.removeItem(OFF)
    else localStorage.setItem(OFF, '')
  } catch {
    // Nothing can be kept on this device: the keys stay as they are.
  }
}

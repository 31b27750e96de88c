/**
 * Calls `work` once typing has paused.
 * @template {unknown[]} Values
 * @param {(...values: Values) => void} work
 * @param {number} pause in milliseconds
 * @returns {(...values: Values) => void}
 */
export function later(work, pause) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  return (...values) => {
    clearTimeout(timer)
    timer = setTimeout(() => work(...values), pause)
  }
}

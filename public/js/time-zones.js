/**
 * Puts the browser's time zone on top of a list of all, where it is looked for first.
 * @param {HTMLElement} select
 */
export function offerOwnZone(select) {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const own = select.querySelector(`option[value="${CSS.escape(timeZone)}"]`)
  const first = select.querySelector('option:not([value=""])')
  if (own !== null && first !== null) first.before(own)
}

/**
 * One checkbox selects all rows of the page, and says how many are selected. Without it, each row's own does.
 * @param {HTMLElement} place of that checkbox and its output
 */
export function selectAll(place) {
  const all = place.querySelector('input')
  const count = place.querySelector('output')
  if (all === null || count === null) return
  place.hidden = false
  const show = () => {
    const rows = selectable()
    const selected = rows.filter((row) => row.checked).length
    all.checked = selected === rows.length
    all.indeterminate = selected > 0 && selected < rows.length
    count.textContent = selected === 0 ? '' : `${count.dataset.text ?? ''} ${selected}`
  }
  all.addEventListener('change', () => {
    for (const row of selectable()) row.checked = all.checked
    show()
  })
  document.addEventListener('change', ({ target }) => target !== all && show())
  // What the browser restores on the way back is selected after this.
  window.addEventListener('pageshow', show)
  show()
}

/** The checkboxes of the rows that there are now. */
export function selectable() {
  return [...document.querySelectorAll('input[form="selection"]')].filter(
    (row) => row instanceof HTMLInputElement,
  )
}

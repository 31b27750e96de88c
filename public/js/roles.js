/**
 * A role is saved when it is chosen with the pointer. The keys only move through the choices (WCAG 3.2.2): Save appears, and Enter
 * presses it. Without it, Save always stands there.
 * @param {HTMLFormElement} form
 */
export function saveChosenRole(form) {
  const select = form.querySelector('select')
  const save = form.querySelector('button')
  if (select === null || save === null) return
  const saved = select.value
  let isByKeys = false
  save.classList.add('waits')
  select.addEventListener('keydown', (event) => {
    isByKeys = true
    if (event.key !== 'Enter' || event.isComposing || select.value === saved) return
    event.preventDefault()
    form.requestSubmit()
  })
  select.addEventListener('pointerdown', () => {
    isByKeys = false
  })
  select.addEventListener('change', () => {
    if (isByKeys) save.classList.toggle('waits', select.value === saved)
    else if (select.value !== saved) form.requestSubmit()
  })
}

/**
 * A box to type in, with the label, the hint and the name of the field in the address, and the chips before it. The field is hidden.
 * @param {HTMLInputElement} field
 */
export function framed(field) {
  const box = document.createElement('input')
  for (const { name, value } of field.attributes)
    if (!['name', 'value', 'class'].includes(name)) box.setAttribute(name, value)
  field.removeAttribute('id')
  field.hidden = true
  const list = document.createElement('ul')
  list.className = 'chip-list'
  const frame = document.createElement('div')
  frame.className = 'input chips has-suggestions'
  field.after(frame)
  frame.append(list, box)
  return { frame, list, box }
}

/**
 * A chip of this text, with a button that removes it.
 * @param {string} tag
 * @param {HTMLTemplateElement} template
 */
export function chipOf(tag, template) {
  const chip = /** @type {DocumentFragment} */ (template.content.cloneNode(true))
  const [name, button] = [chip.querySelector('span'), chip.querySelector('button')]
  if (name !== null) name.textContent = tag
  button?.setAttribute('aria-label', button.getAttribute('aria-label')?.replace('#', () => tag) ?? '')
  return chip
}

/**
 * Says below a field what is wrong with it; empty: nothing.
 * @param {HTMLElement} box
 * @param {string} fault
 * @param {Element | null} [frame] around it
 */
export function tellFault(box, fault, frame = box.parentElement) {
  const id = `${box.id}-error`
  const described = (box.getAttribute('aria-describedby') ?? '').split(' ').filter((name) => name !== id)
  document.getElementById(id)?.remove()
  box.toggleAttribute('aria-invalid', false)
  if (fault !== '') {
    const error = document.createElement('p')
    error.className = 'error'
    error.id = id
    error.textContent = fault
    frame?.after(error)
    box.setAttribute('aria-invalid', 'true')
    described.unshift(id)
  }
  box.setAttribute('aria-describedby', described.join(' ').trim())
}

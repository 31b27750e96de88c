/**
 * In the list of lectures of who runs the course: a row is dragged by its grip, and renamed where it stands. Without it, both are
 * done by the menu of the row.
 * @param {HTMLElement} list
 */
export function arrangeLectures(list) {
  for (const grip of list.querySelectorAll('.grip')) {
    if (!(grip instanceof HTMLElement)) continue
    grip.addEventListener('pointerdown', (event) => drag(list, grip, event))
  }
  list.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('[data-act="rename"]') : null
    const row = link?.closest('li')
    const isPlain = !(event.ctrlKey || event.metaKey || event.shiftKey)
    if (row instanceof HTMLElement && isPlain && rename(row)) event.preventDefault()
  })
}

/**
 * @param {HTMLElement} list
 * @param {HTMLElement} grip
 * @param {PointerEvent} event
 */
function drag(list, grip, event) {
  const row = grip.closest('li')
  if (row === null || event.button !== 0) return
  const before = [...list.children]
  event.preventDefault()
  grip.setPointerCapture(event.pointerId)
  row.classList.add('dragged')
  const move = (/** @type {PointerEvent} */ { clientY }) => {
    const other = [...list.children].find((one) => {
      const { top, bottom } = one.getBoundingClientRect()
      return one !== row && clientY >= top && clientY < bottom
    })
    if (other === undefined) return
    const isAfter = row.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING
    if (isAfter) other.after(row)
    else other.before(row)
  }
  grip.addEventListener('pointermove', move)
  grip.addEventListener(
    'lostpointercapture',
    () => {
      grip.removeEventListener('pointermove', move)
      row.classList.remove('dragged')
      const target = before[[...list.children].indexOf(row)]
      if (target instanceof HTMLElement && target !== row) send(row, target.dataset.position ?? '')
    },
    { once: true },
  )
}

/**
 * @param {HTMLElement} row
 * @param {string} to
 */
function send(row, to) {
  const form = document.querySelector('form[data-move]')
  const field = form?.querySelector('[name="to"]')
  if (!(form instanceof HTMLFormElement) || !(field instanceof HTMLInputElement)) return
  form.action = `${row.dataset.path}/move`
  field.value = to
  form.requestSubmit()
}

/**
 * @param {HTMLElement} row
 * @returns whether the row can be renamed where it stands
 */
function rename(row) {
  const template = document.querySelector('template#rename')
  const title = row.querySelector('a.title')
  const menu = row.querySelector('details.menu')
  if (!(template instanceof HTMLTemplateElement) || title === null || menu === null) return false
  const form = template.content.firstElementChild?.cloneNode(true)
  if (!(form instanceof HTMLFormElement)) return false
  const field = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement} */ (form.querySelector(`[name="${name}"]`))
  form.action = row.dataset.path ?? ''
  field('position').value = row.dataset.position ?? ''
  field('title').value = title.textContent.trim()
  menu.removeAttribute('open')
  title.replaceWith(form)
  const end = () => {
    form.replaceWith(title)
    menu.querySelector('summary')?.focus()
  }
  form.querySelector('[type="button"]')?.addEventListener('click', end)
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) end()
  })
  field('title').select()
  return true
}

/** How long a draft is kept that is not opened again: a week. */
const LIFE_MS = 7 * 24 * 60 * 60 * 1000

/** Which draft was sent from this tab last. */
const SENT = 'sent draft'

/**
 * Forgets the draft that was sent, once a page says that it was taken: each such page has a flash message.
 * @param {Document} page
 */
export function settleDraft(page) {
  try {
    const key = sessionStorage.getItem(SENT)
    sessionStorage.removeItem(SENT)
    if (key !== null && page.querySelector('[data-flash]') !== null) forget(key)
  } catch {
    // No storage, no drafts.
  }
}

/**
 * Keeps what is typed into a form's textareas and title on this device, under the form's address, until it is posted.
 * Text that came with the page (an edit, a refused form) wins over a draft.
 * @param {HTMLElement} form
 */
export function saveDraft(form) {
  if (!(form instanceof HTMLFormElement)) return
  const owner = form.dataset.owner ?? ''
  const key = `draft ${owner} ${new URL(form.action).pathname}`
  forgetOthers(owner)
  const fields = [...form.querySelectorAll('textarea, input[name="title"], input[name="tags"]')].filter(
    isField,
  )
  if (restore(key, fields)) tellRestored(form, key, fields)
  form.addEventListener('input', () => {
    const typed = Object.fromEntries(fields.map((field) => [field.name, field.value]))
    const isEmpty = Object.values(typed).every((value) => value.trim() === '')
    if (isEmpty) forget(key)
    else keep(key, typed)
  })
  // Until the next page says that it was taken, a draft may still be all there is of the text. Following a similar question
  // instead of posting ends the draft, too.
  document.addEventListener('submit', ({ target }) => {
    if (target === form || (target instanceof HTMLElement && target.hasAttribute('data-ends-draft')))
      markSent(key)
  })
}

/**
 * Says that the form opens with text from before, and offers to discard it.
 * @param {HTMLFormElement} form
 * @param {string} key
 * @param {(HTMLInputElement | HTMLTextAreaElement)[]} fields
 */
function tellRestored(form, key, fields) {
  const note = form.querySelector('.restored')
  if (!(note instanceof HTMLElement)) return
  note.hidden = false
  note.querySelector('button')?.addEventListener('click', () => {
    forget(key)
    for (const field of fields) field.value = ''
    note.hidden = true
    fields[0]?.focus()
  })
}

/**
 * @param {Element} field
 * @returns {field is HTMLInputElement | HTMLTextAreaElement}
 */
function isField(field) {
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
}

/**
 * @param {string} key
 * @param {(HTMLInputElement | HTMLTextAreaElement)[]} fields
 * @returns {boolean} whether there was a draft
 */
function restore(key, fields) {
  if (fields.some((field) => field.value !== '')) return false
  try {
    const { at, typed } = JSON.parse(localStorage.getItem(key) ?? '{}')
    if (typeof at === 'number' && Date.now() - at <= LIFE_MS) {
      for (const field of fields) if (typeof typed[field.name] === 'string') field.value = typed[field.name]
      return true
    }
  } catch {
    // What cannot be read is no draft.
  }
  forget(key)
  return false
}

/**
 * @param {string} key
 * @param {Record<string, string>} typed
 */
function keep(key, typed) {
  try {
    localStorage.setItem(key, JSON.stringify({ at: Date.now(), typed }))
  } catch {
    // No room, or not allowed: the form works as without a draft.
  }
}

/** @param {string} key */
function forget(key) {
  try {
    localStorage.removeItem(key)
  } catch {
    // Not allowed: then nothing was kept either.
  }
}

/**
 * Drafts of whoever used this browser before are nobody else's to read.
 * @param {string} owner
 */
function forgetOthers(owner) {
  try {
    const foreign = Object.keys(localStorage).filter(
      (key) => key.startsWith('draft ') && !key.startsWith(`draft ${owner} `),
    )
    for (const key of foreign) localStorage.removeItem(key)
  } catch {
    // Not allowed: then nothing was kept.
  }
}

/** @param {string} key */
function markSent(key) {
  try {
    sessionStorage.setItem(SENT, key)
  } catch {
    // Not allowed: then nothing was kept either.
  }
}

const KEPT = 'other forms'
const FIELDS =
  'input:not([type="hidden"], [type="password"], [type="radio"], [type="file"]), textarea, select'

/**
 * A field when a form of its page was sent. `was`: as the server had it before anything was typed; `version`: that of its form, if any.
 * @typedef {{ was: string, typed: string, version: string | undefined, isSent: boolean }} Kept
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 */

/**
 * Sending one form of a page keeps what is typed into the others, in this tab, until the page comes again. Passwords are not kept.
 * @param {Document} page
 */
export function keepOtherForms(page) {
  const viewer = page.querySelector('[data-viewer]')?.getAttribute('data-viewer')
  const owner = `${viewer} ${page.querySelector('main')?.dataset.page}`
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}')
    sessionStorage.removeItem(KEPT)
    // Each page that says that a form was taken has a message.
    if (kept.owner === owner) restore(page, kept.fields, page.querySelector('[data-flash]') !== null)
  } catch {
    // Not allowed: then nothing was kept.
  }
  page.addEventListener('submit', ({ target, defaultPrevented }) => {
    if (defaultPrevented || !(target instanceof HTMLFormElement) || target.closest('main') === null) return
    const fields = [...fieldsOf(page)].map((field) => {
      const { was = servedIn(field) } = field.dataset
      const [version, isSent] = [versionOf(field)?.value, field.form === target]
      return [nameOf(field), { was, typed: typedIn(field), version, isSent }]
    })
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ owner, fields: Object.fromEntries(fields) }))
    } catch {
      // Not allowed, or no room.
    }
  })
}

/**
 * Says beside its button which form has changes that aren't saved.
 * @param {Document} page
 */
export function tellUnsaved(page) {
  const show = () => {
    const changed = new Set([...fieldsOf(page)].filter(isChanged).map(({ form }) => form))
    for (const mark of page.querySelectorAll('[data-unsaved]'))
      mark.toggleAttribute('hidden', !changed.has(mark.closest('form')))
  }
  page.addEventListener('input', show)
  // By then browsers have put back what was typed before the page was left.
  addEventListener('pageshow', show)
}

/**
 * @param {Document} page
 * @param {Record<string, Kept>} kept
 * @param {boolean} isTaken
 */
function restore(page, kept, isTaken) {
  for (const field of fieldsOf(page)) {
    const one = kept[nameOf(field)]
    if (one === undefined || (one.isSent ? isTaken : one.typed === one.was)) continue
    // A refused value came back with the page, and is still to be saved.
    field.dataset.was = one.was
    if (one.isSent) continue
    // Changed by another person meanwhile: under the version that it began with, saving it tells.
    const version = servedIn(field) === one.was ? null : versionOf(field)
    if (version !== null) version.value = one.version ?? ''
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = one.typed !== ''
    else field.value = one.typed
    field.closest('details')?.setAttribute('open', '')
  }
}

/** @param {Document} page @returns {NodeListOf<Field>} */
const fieldsOf = (page) => page.querySelectorAll(`main form[method="post"] :is(${FIELDS})`)

/** @param {Field} field */
const nameOf = (field) => `${field.form?.getAttribute('action')} ${field.name}`

/** @param {Field} field @returns {HTMLInputElement | null} */
const versionOf = (field) => field.form?.querySelector('input[name="version"]') ?? null

/** @param {Field} field */
const typedIn = (field) =>
  field instanceof HTMLInputElement && field.type === 'checkbox' && !field.checked ? '' : field.value

/** @param {Field} field */
const isChanged = (field) => typedIn(field) !== (field.dataset.was ?? servedIn(field))

/**
 * The value that came with the page.
 * @param {Field} field
 */
function servedIn(field) {
  if (field instanceof HTMLInputElement && field.type === 'checkbox')
    return field.defaultChecked ? field.value : ''
  if (!(field instanceof HTMLSelectElement)) return field.defaultValue
  return ([...field.options].find((option) => option.defaultSelected) ?? field.options[0])?.value ?? ''
}

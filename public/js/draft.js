import { shownOf } from '../../src/text/shown-mentions.ts'
import { announce } from './announce.js'
import { choose, chosenIn } from './draft-choices.js'
import { savesOf } from './draft-saves.js'
import {
  deleteServer,
  forgetLocal,
  forgetOthers,
  keepLocal,
  readLocal,
  readServer,
  saveServer,
} from './draft-store.js'
import { notSending } from './sending.js'
import { markSent } from './sent-draft.js'
import { postedText } from './shown-mentions.js'

/** @typedef {import('./draft-store.js').Draft} Draft */
/** @typedef {HTMLInputElement | HTMLTextAreaElement} Field */

/**
 * Saves what is typed into a form until it is posted: at once on this device, after a pause on the server. It comes back here or on
 * another device, and says so. Text that came with the page (an edit, a refused form) stays until the person chooses the draft.
 * @param {HTMLElement} element a form with `data-place`, a note (views/components/_restored.eta) and a status line
 *   (_draft-status.eta), or what folds one: it opens for a draft
 */
export async function saveDraft(element) {
  const form = element instanceof HTMLDetailsElement ? element.querySelector('form') : element
  if (!(form instanceof HTMLFormElement) || form.dataset.saving !== undefined) return
  form.dataset.saving = ''
  const { place = '' } = form.dataset
  const owner = viewer()
  const key = `draft ${owner} ${place}`
  const fields = [...form.querySelectorAll('textarea, input[name="title"], input[name="tags"]')].filter(
    isField,
  )
  forgetOthers(owner)
  /** @type {{ id: number | null, version: number }} the server's draft that the text goes on from */
  const known = { id: null, version: 0 }

  const typed = () => ({
    ...Object.fromEntries(fields.map((field) => [field.name, postedText(field)])),
    ...chosenIn(form),
  })
  const fill = (/** @type {Draft} */ draft) => {
    for (const field of fields) {
      field.value = draft.fields[field.name] ?? ''
      field.dispatchEvent(new Event('filled', { bubbles: true }))
    }
    choose(form, draft.fields)
  }
  const discard = () => {
    forgetLocal(key)
    if (known.id !== null) void deleteServer(known.id, tokenOf(form))
    Object.assign(known, { id: null, version: 0 })
  }
  const save = async () => {
    if (owner === '') return
    const draft = { at: Date.now(), version: known.version, fields: { ...typed(), ...baseOf(form) } }
    const answer = await saveServer(place, draft, tokenOf(form))
    if (answer === null) return tellStatus(form, 'offline')
    if (answer.draft === null) return forgetLocal(key)
    if (answer.status === 409) {
      const newer = answer.draft
      return tell(form, 'newer', {
        use: () => {
          Object.assign(known, { id: newer.id, version: newer.version })
          fill(newer)
          forgetLocal(key)
        },
        discard: () => {
          Object.assign(known, { id: newer.id, version: newer.version })
          void save()
        },
      })
    }
    Object.assign(known, { id: answer.draft.id, version: answer.draft.version })
    tellStatus(form, 'saved')
  }
  const saves = savesOf(save)

  const keep = () => {
    if (fields.every(isBlank)) return discard()
    keepLocal(key, { at: Date.now(), version: known.version, fields: typed() })
    saves.soon()
  }
  const opened = fields.map(({ defaultValue }) => defaultValue)
  let server = owner === '' ? null : await readServer(place)
  const kept = readLocal(key)
  if (owner !== '' && server === null && kept !== null) {
    // Only this device has it: perhaps from a page that was left before it heard that the text was posted.
    const answer = await saveServer(place, kept, tokenOf(form))
    if (answer?.draft === null) forgetLocal(key)
    server = answer?.draft ?? null
  }
  await notSending(form)
  if (server !== null) Object.assign(known, { id: server.id, version: server.version })
  form.addEventListener('input', keep)
  const draft = newest(readLocal(key), server)
  const isUntouched = fields.every((field, index) => postedText(field) === opened[index])
  const differs =
    draft !== null && fields.some((field) => (draft.fields[field.name] ?? '') !== postedText(field))
  // The browser brought back what was shown: whom it means is in the draft.
  const isBack = fields.every(({ name, value }) => shownOf(draft?.fields[name] ?? '').text === value)
  if (draft !== null && isBack && differs && !isUntouched) fill(draft)
  else if (!isUntouched) {
    // Typed before this module came, by somebody who has not seen the server's draft: saving tells of it.
    known.version = 0
    keep()
  } else if (draft !== null && differs) {
    const isEmpty = fields.every(isBlank)
    if (isEmpty) fill(draft)
    tell(form, isEmpty ? 'restored' : 'waiting', {
      use: () => {
        fill(draft)
        restoreBase(form, draft)
      },
      discard: () => {
        discard()
        fill({ ...draft, fields: Object.fromEntries(fields.map(({ name }, at) => [name, opened[at] ?? ''])) })
        fields[0]?.focus()
      },
    })
  }
  // Following a similar question instead of posting ends the draft, too. Heard before anybody else sends the form.
  document.addEventListener(
    'submit',
    (event) => {
      const isOther = event.target instanceof HTMLElement && event.target.hasAttribute('data-ends-draft')
      if (event.target !== form && !isOther) return
      markSent(key)
      saves.end(event)
    },
    true,
  )
}

/**
 * The server's draft counts unless this device has text that was typed after it was saved.
 * @template {Draft} Other
 * @param {Draft | null} local
 * @param {Other | null} server
 * @returns {Draft | Other | null}
 */
function newest(local, server) {
  if (local === null || server === null) return local ?? server
  return local.at > server.at ? local : server
}

/**
 * Says what became of a draft, with the two things that can be done.
 * @param {HTMLFormElement} form
 * @param {'restored' | 'waiting' | 'newer'} state
 * @param {{ use: () => void, discard: () => void }} acts
 */
function tell(form, state, acts) {
  const note = form.querySelector('[data-draft-note]')
  if (!(note instanceof HTMLElement)) return
  note.hidden = false
  note.closest('details')?.setAttribute('open', '')
  for (const part of note.querySelectorAll('[data-state]')) {
    if (part instanceof HTMLElement) part.hidden = !part.dataset.state?.split(' ').includes(state)
  }
  announce(note.querySelector('span:not([hidden])')?.textContent ?? '')
  const on = (/** @type {string} */ name, /** @type {() => void} */ act) => {
    for (const button of note.querySelectorAll(`button[data-act="${name}"]`)) {
      if (!(button instanceof HTMLButtonElement)) continue
      button.onclick = () => {
        note.hidden = true
        act()
      }
    }
  }
  on('use', acts.use)
  on('discard', acts.discard)
}

/**
 * @param {HTMLFormElement} form
 * @param {'saved' | 'offline'} status
 */
function tellStatus(form, status) {
  const place = form.querySelector('[data-draft-status]')
  if (!(place instanceof HTMLElement)) return
  const { [status]: text = '' } = place.dataset
  // Each save says nothing new.
  if (place.textContent !== text) place.textContent = text
}

/**
 * The version of the post that an edit began with: a draft of it must not overwrite what others changed since.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
function baseOf(form) {
  const base = form.querySelector('input[name="version"]')
  return base instanceof HTMLInputElement ? { base_version: base.value } : {}
}

/**
 * @param {HTMLFormElement} form
 * @param {Draft} draft
 */
function restoreBase(form, { fields }) {
  const base = form.querySelector('input[name="version"]')
  if (base instanceof HTMLInputElement && fields.base_version !== undefined) base.value = fields.base_version
}

/** Who is signed in; empty: nobody, whose drafts stay on this device. */
function viewer() {
  const menu = document.querySelector('[data-viewer]')
  return menu instanceof HTMLElement ? (menu.dataset.viewer ?? '') : ''
}

/** @param {HTMLFormElement} form */
function tokenOf(form) {
  const token = form.querySelector('input[name="_csrf"]')
  return token instanceof HTMLInputElement ? token.value : ''
}

/**
 * @param {Element} field
 * @returns {field is Field}
 */
function isField(field) {
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
}

/**
 * Whether nobody has written anything in a field: it is empty, or as the course begins questions.
 * @param {Field} field
 */
function isBlank({ value, dataset }) {
  return value.trim() === '' || value.trim() === dataset.template?.trim()
}

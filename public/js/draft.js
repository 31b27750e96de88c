import { announce } from './announce.js'
import { fieldsOf } from './draft-fields.js'
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

/** @typedef {import('./draft-store.js').Draft} Draft */

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
  const fields = fieldsOf(form)
  forgetOthers(owner)
  /** @type {{ id: number | null, version: number }} the server's draft that the text goes on from */
  const known = { id: null, version: 0 }

  const discard = () => {
    forgetLocal(key)
    if (known.id !== null) void deleteServer(known.id, tokenOf(form))
    Object.assign(known, { id: null, version: 0 })
  }
  const save = async () => {
    if (owner === '') return
    const draft = { at: Date.now(), version: known.version, fields: fields.typed() }
    const answer = await saveServer(place, draft, tokenOf(form))
    if (answer === null) return tellStatus(form, 'offline')
    if (answer.draft === null) return forgetLocal(key)
    if (answer.status === 409) {
      const newer = answer.draft
      return tell(form, 'newer', {
        use: () => {
          Object.assign(known, { id: newer.id, version: newer.version })
          fields.fill(newer.fields)
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
    if (fields.isBlank()) return discard()
    keepLocal(key, { at: Date.now(), version: known.version, fields: fields.typed() })
    saves.soon()
  }
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
  const isUntouched = fields.isUntouched()
  const differs = draft !== null && !fields.isIn(draft.fields)
  if (draft !== null && differs && !isUntouched && fields.isShownIn(draft.fields)) fields.fill(draft.fields)
  else if (!isUntouched) {
    // Typed before this module came, by somebody who has not seen the server's draft: saving tells of it.
    known.version = 0
    keep()
  } else if (draft !== null && differs) {
    const isEmpty = fields.isBlank()
    if (isEmpty) fields.fill(draft.fields)
    tell(
      form,
      isEmpty ? 'restored' : 'waiting',
      {
        use: () => fields.fill(draft.fields),
        discard: () => {
          discard()
          fields.reset()
        },
      },
      fields.brought(),
    )
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
 * @param {string[]} [brought] what else came back than the text
 */
function tell(form, state, acts, brought = []) {
  const note = form.querySelector('[data-draft-note]')
  if (!(note instanceof HTMLElement)) return
  note.hidden = false
  note.closest('details')?.setAttribute('open', '')
  for (const part of note.querySelectorAll('[data-state]')) {
    if (part instanceof HTMLElement) part.hidden = !part.dataset.state?.split(' ').includes(state)
  }
  const said = note.querySelector('span:not([hidden])')
  if (said instanceof HTMLElement && said.dataset.with !== undefined && brought.length > 0)
    said.textContent = said.dataset.with.replace('#', () => brought.join(', '))
  const faults = [...form.querySelectorAll('.error')]
  announce([said, ...faults].map((element) => element?.textContent ?? '').join(' '))
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

/** How long a draft is kept on this device that is not opened again: a week. */
const LIFE_MS = 7 * 24 * 60 * 60 * 1000

/**
 * Text as it stands in a form. `version` is that of the server's draft it goes on from (0: none), `at` milliseconds.
 * @typedef {{ at: number, version: number, fields: Record<string, string> }} Draft
 * @typedef {Draft & { id: number }} ServerDraft
 */

/**
 * The draft of this device; null: none, or none that can be read.
 * @param {string} key
 * @returns {Draft | null}
 */
export function readLocal(key) {
  try {
    const { at, version, fields } = JSON.parse(localStorage.getItem(key) ?? '{}')
    if (typeof at === 'number' && Date.now() - at <= LIFE_MS && typeof fields === 'object' && fields !== null)
      return { at, version: Number(version) || 0, fields }
  } catch {
    // What cannot be read is no draft.
  }
  return null
}

/**
 * @param {string} key
 * @param {Draft} draft
 */
export function keepLocal(key, draft) {
  try {
    localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // No room, or not allowed: the server's draft is all there is.
  }
}

/** @param {string} key */
export function forgetLocal(key) {
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
export function forgetOthers(owner) {
  try {
    const foreign = Object.keys(localStorage).filter(
      (key) => key.startsWith('draft ') && !key.startsWith(`draft ${owner} `),
    )
    for (const key of foreign) localStorage.removeItem(key)
  } catch {
    // Not allowed: then nothing was kept.
  }
}

/**
 * The server's draft of a form; null: none, or no answer.
 * @param {string} place
 * @returns {Promise<ServerDraft | null>}
 */
export async function readServer(place) {
  const answer = await ask(`/drafts?${new URLSearchParams({ place })}`)
  return answer?.draft ?? null
}

/**
 * Saves a draft on the server if it goes on from the one that is there.
 * @param {string} place
 * @param {Draft} draft
 * @param {string} token of the form
 * @returns {Promise<{ status: number, draft: ServerDraft | null } | null>} status 409: `draft` is newer; a draft that is null: the
 * text is posted; null: no answer
 */
export function saveServer(place, { version, fields }, token) {
  const body = new URLSearchParams({ ...fields, place, version: String(version), _csrf: token })
  // keepalive: the last save goes out also while the tab closes.
  return ask('/drafts', { method: 'POST', body, keepalive: body.toString().length < 60_000 })
}

/**
 * @param {number} id
 * @param {string} token
 */
export async function deleteServer(id, token) {
  await ask(`/drafts/${id}/delete`, {
    method: 'POST',
    body: new URLSearchParams({ _csrf: token }),
    keepalive: true,
  })
}

/**
 * @param {string} address
 * @param {RequestInit} [init]
 * @returns {Promise<{ status: number, draft: ServerDraft | null } | null>}
 */
async function ask(address, init = {}) {
  try {
    const answer = await fetch(address, {
      ...init,
      redirect: 'error',
      headers: { accept: 'application/json' },
    })
    if (answer.status === 204) return { status: 204, draft: null }
    if (!answer.ok && answer.status !== 409) return null
    const { id, version, fields, savedAt } = await answer.json()
    const draft = id === null ? null : { id, version, fields, at: Date.parse(savedAt) }
    return { status: answer.status, draft }
  } catch {
    return null
  }
}

/** @typedef {{ address: string, markdown: string } | { error: string, isForNow: boolean }} Uploaded */

/**
 * Sends a picture. fetch does not tell how much of a body has gone; XMLHttpRequest does.
 * @param {File} picture
 * @param {HTMLFormElement | null} form whose token it carries
 * @param {(percent: number) => void} tell
 * @returns {{ uploaded: Promise<Uploaded | null>, cancel: () => void }} null: canceled. An error that is for now may be gone with the
 *   next attempt; its text is empty where nothing answered
 */
export function uploadPicture(picture, form, tell) {
  const token = form?.querySelector('input[name="_csrf"]')
  const body = new FormData()
  if (token instanceof HTMLInputElement) body.set('_csrf', token.value)
  body.set('alt', '')
  body.set('file', picture)
  const request = new XMLHttpRequest()
  /** @type {Promise<Uploaded | null>} */
  const uploaded = new Promise((resolve) => {
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      tell(Math.round((loaded / total) * 100)),
    )
    request.addEventListener('load', () => {
      const { url, markdown, error = '' } = answerOf(request)
      const { status } = request
      const isForNow = status === 429 || status >= 500
      resolve(url === undefined || markdown === undefined ? { error, isForNow } : { address: url, markdown })
    })
    request.addEventListener('error', () => resolve({ error: '', isForNow: true }))
    request.addEventListener('abort', () => resolve(null))
  })
  request.open('POST', '/uploads')
  request.setRequestHeader('accept', 'application/json')
  request.send(body)
  return { uploaded, cancel: () => request.abort() }
}

/**
 * @param {XMLHttpRequest} request
 * @returns {{ url?: string, markdown?: string, error?: string }}
 */
function answerOf(request) {
  try {
    return JSON.parse(request.responseText)
  } catch {
    return {}
  }
}

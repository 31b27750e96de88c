/**
 * Posts a form's fields.
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ response: Response, text: string } | null>} null: nothing answers
 */
export async function post(form, submitter, headers, signal) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value)
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers, signal: signal ?? null })
    return { response, text: await response.text() }
  } catch {
    return null
  }
}

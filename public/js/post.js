/**
 * Posts a form's fields, from the page where it leads back to: that one leaves a message to another that it is led to instead
 * (src/web/flash.ts).
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 * @param {Record<string, string>} headers
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ response: Response, text: string } | null>} null: nothing answers
 */
export async function post(form, submitter, headers, signal) {
  const body = new URLSearchParams()
  const referrer = placeOf(form).href
  for (const [name, value] of new FormData(form, submitter))
    if (typeof value === 'string') body.append(name, value)
  try {
    const response = await fetch(form.action, {
      method: 'POST',
      body,
      headers,
      referrer,
      signal: signal ?? null,
    })
    return { response, text: await response.text() }
  } catch {
    return null
  }
}

/**
 * The page that a form stands on: the answer to another, such as one that was refused, is where that was posted.
 * @param {HTMLFormElement} form
 */
export function placeOf(form) {
  return new URL(form.back?.value ?? '', location.href)
}

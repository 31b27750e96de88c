// Forms that a passkey answers: only on the pages that have one. The answer goes into the form's hidden field, and the form is sent
// as any other. Where the browser has no passkeys, such a form stays hidden.

import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (form instanceof HTMLFormElement && browserSupportsWebAuthn()) improve(form)
}
for (const note of document.querySelectorAll('[data-without-passkeys]')) {
  if (note instanceof HTMLElement) note.hidden = browserSupportsWebAuthn()
}

/**
 * @param {HTMLFormElement} form data-passkey: 'make' or 'sign'; data-options: what the browser needs for it, as JSON, or
 *   data-challenge: where it is to be had; data-failed, data-known: what is said when it did not work
 */
function improve(form) {
  const answer = form.elements.namedItem('_passkey')
  const button = form.querySelector('button')
  const problem = form.querySelector('[role="alert"]')
  if (!(answer instanceof HTMLInputElement && button !== null && problem instanceof HTMLElement)) return
  form.hidden = false
  // Back from another page, an old answer is of no use.
  window.addEventListener('pageshow', () => {
    answer.value = ''
  })
  form.addEventListener('submit', async (event) => {
    if (answer.value !== '') return
    event.preventDefault()
    // Not sent yet, whatever send-once.js would think.
    event.stopPropagation()
    problem.hidden = true
    button.disabled = true
    try {
      answer.value = JSON.stringify(await ask(form))
      form.requestSubmit()
    } catch (error) {
      const isKnown = error instanceof Error && error.name === 'InvalidStateError'
      problem.textContent = (isKnown ? form.dataset.known : form.dataset.failed) ?? ''
      problem.hidden = false
    } finally {
      button.disabled = false
    }
  })
}

/** @param {HTMLFormElement} form */
async function ask({ dataset }) {
  if (dataset.passkey === 'make')
    return startRegistration({ optionsJSON: JSON.parse(dataset.options ?? '{}') })
  const challenge = await fetch(dataset.challenge ?? '')
  if (!challenge.ok) throw new Error(`no challenge: ${challenge.status}`)
  return startAuthentication({ optionsJSON: await challenge.json() })
}

/**
 * Says that somebody handles a case as soon as they have it open, so that colleagues see it: what the button beside it does. It ends by
 * itself after ten minutes, and with the case.
 * @param {HTMLElement} note what has the form that says so
 */
export async function handleCase(note) {
  const form = note.querySelector('form')
  const [text, button] = [note.querySelector('p'), form?.querySelector('button')]
  if (!form || !text || !button) return
  const body = new URLSearchParams({ value: '1' })
  for (const [name, field] of new FormData(form)) body.append(name, String(field))
  const headers = { accept: 'application/json' }
  const answer = await fetch(form.action, { method: 'POST', body, headers }).catch(() => null)
  if (answer?.status !== 204 || !note.isConnected) return
  text.textContent = note.dataset.claimed ?? ''
  button.value = '0'
  button.textContent = note.dataset.release ?? ''
}

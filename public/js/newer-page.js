/**
 * The same page as the server shows it now: at the address it names, as a form's answer stands where the form was posted. Got in the
 * background, it leaves a message for the next page to the tab that opens it (src/web/flash.ts).
 */
export async function newerPage() {
  const address = addressOf()
  const response = await fetch(address, { headers: { accept: 'text/html; background=1' } })
  const text = await response.text()
  // A form that was sent in place may have led on meanwhile.
  if (!response.ok || address !== addressOf()) throw new Error()
  return new DOMParser().parseFromString(text, 'text/html')
}

function addressOf() {
  return document.querySelector('main')?.dataset.address ?? location.href
}

/** What this page is sending itself is no news: it says so once it is taken. */
export function isSending() {
  return document.querySelector('form[data-in-place][data-sent]') !== null
}

/** The same page as the server shows it now: at the address it names, as a form's answer stands where the form was posted. */
export async function newerPage() {
  const address = document.querySelector('main')?.dataset.address ?? location.href
  const response = await fetch(address, { headers: { accept: 'text/html' } })
  if (!response.ok) throw new Error(`no newer page: ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** What this page is sending itself is no news: it says so once it is taken. */
export function isSending() {
  return document.querySelector('form[data-in-place][data-sent]') !== null
}

/** The same page as the server shows it now. */
export async function newerPage() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) throw new Error(`no newer page: ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/** What this page is sending itself is no news: it says so once it is taken. */
export function isSending() {
  return document.querySelector('form[data-in-place][data-sent]') !== null
}

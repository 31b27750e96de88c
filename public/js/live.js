/**
 * Tells of answers that came while the page was open. Only while it is looked at: a browser has few connections to one
 * server, and each open page takes one.
 * @param {HTMLElement} note an empty element with role=status
 */
export function tellOfAnswers(note) {
  const { live = '', count = '0', one = '', other = '' } = note.dataset
  const rules = new Intl.PluralRules(document.documentElement.lang)
  /** @type {EventSource | undefined} */
  let source

  /** @param {number} fresh */
  const show = (fresh) => {
    if (fresh <= 0) return
    const link = document.createElement('a')
    link.href = '#answers'
    link.textContent = (rules.select(fresh) === 'one' ? one : other).replace('#', String(fresh))
    // The page is read again where it is: what is being typed is kept as a draft.
    link.addEventListener('click', () => setTimeout(() => location.reload()))
    note.hidden = false
    note.replaceChildren(link)
  }
  const listen = () => {
    source?.close()
    if (document.visibilityState === 'hidden') return
    source = new EventSource(live)
    source.addEventListener('answers', (event) => show(Number(event.data) - Number(count)))
  }

  listen()
  document.addEventListener('visibilitychange', listen)
  window.addEventListener('pagehide', () => source?.close())
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) listen()
  })
}

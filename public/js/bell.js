import { openPanel } from './bell-panel.js'

/**
 * Keeps the number on the bell as it is. A page that hears of answers or questions hears of this by the same connection; others
 * make one, while they are visible.
 * @param {HTMLElement} bell
 */
export function ring(bell) {
  openPanel(bell)
  const [badge, words] = [bell.querySelector('.badge'), bell.querySelector('.visually-hidden')]
  document.addEventListener('told', (event) => {
    const count = event instanceof CustomEvent ? Number(event.detail) : 0
    if (!(badge instanceof HTMLElement) || words === null) return
    badge.hidden = count === 0
    badge.textContent = count > 99 ? '99+' : String(count)
    words.textContent = count === 0 ? (bell.dataset.none ?? '') : counted(bell, count)
  })
  if (document.querySelector('[data-behaviour~="live"]') !== null) return
  /** @type {EventSource | undefined} */
  let source
  const listen = () => {
    source?.close()
    if (document.visibilityState === 'hidden') return
    source = new EventSource('/live/notifications')
    tellBell(source)
  }
  listen()
  document.addEventListener('visibilitychange', listen)
  window.addEventListener('pagehide', () => source?.close())
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) listen()
  })
}

/**
 * @param {HTMLElement} place has the words for one and for more, with # for the number
 * @param {number} count
 */
export function counted({ dataset: { one = '', other = '' } }, count) {
  const isOne = new Intl.PluralRules(document.documentElement.lang).select(count) === 'one'
  return (isOne ? one : other).replace('#', String(count))
}

/** @param {EventSource} source */
export function tellBell(source) {
  source.addEventListener('notifications', ({ data }) =>
    document.dispatchEvent(new CustomEvent('told', { detail: Number(data) })),
  )
}

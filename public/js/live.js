import { tellBell } from './bell.js'
import { updateParts } from './parts.js'

/**
 * Tells of answers, or of a list's questions, that came while the page was open. Connected only while the page is visible: a
 * browser has few connections to one server, and each open page takes one.
 * @param {HTMLElement} note an empty element with role=status
 * @param {(root: ParentNode) => void} improve gives what is put in its behaviours
 */
export function tellOfNews(note, improve) {
  const { live = '', event: name = 'answers', one = '', other = '' } = note.dataset
  const rules = new Intl.PluralRules(document.documentElement.lang)
  const isAnswers = name === 'answers'
  let latest = 0
  /** @type {EventSource | undefined} */
  let source

  const show = () => {
    // What this page is sending itself is no news: it says so once it is taken.
    if (document.querySelector('form[data-in-place][data-sent]') !== null) return
    const fresh = latest - (isAnswers ? document.querySelectorAll('.answer').length : 0)
    note.hidden = fresh <= 0
    if (fresh <= 0) return note.replaceChildren()
    const link = document.createElement('a')
    link.href = isAnswers ? '#answers' : ''
    link.textContent = (rules.select(fresh) === 'one' ? one : other).replace('#', String(fresh))
    link.addEventListener('click', (event) => {
      event.preventDefault()
      // What is being typed is kept as a draft.
      if (isAnswers) showNewer(improve).then(show, () => location.reload())
      else location.reload()
    })
    note.replaceChildren(link)
  }
  const listen = () => {
    source?.close()
    if (document.visibilityState === 'hidden') return
    source = new EventSource(live)
    tellBell(source)
    source.addEventListener(name, (event) => {
      latest = Number(event.data)
      show()
    })
  }

  listen()
  document.addEventListener('sent-in-place', show)
  document.addEventListener('visibilitychange', listen)
  window.addEventListener('pagehide', () => source?.close())
  window.addEventListener('pageshow', (event) => {
    if (event.persisted) listen()
  })
}

/**
 * Brings an open desk up to date when something on it changes, such as a colleague taking a question.
 * @param {HTMLElement} place
 * @param {(root: ParentNode) => void} improve
 */
export function followDesk(place, improve) {
  let last = Promise.resolve()
  const source = new EventSource(place.dataset.live ?? '')
  source.addEventListener('desk', () => {
    last = last
      .then(async () => {
        for (const part of updateParts(await newerPage(), null)) improve(part)
      })
      // The page is being left, or nothing answers: the next change brings it up to date.
      .catch(() => {})
  })
  window.addEventListener('pagehide', () => source.close())
}

/** The same page as the server shows it now. */
async function newerPage() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok) throw new Error(`no newer page: ${response.status}`)
  return new DOMParser().parseFromString(await response.text(), 'text/html')
}

/**
 * Puts in what is new on the page, and moves the focus to the first new answer.
 * @param {(root: ParentNode) => void} improve
 */
async function showNewer(improve) {
  const fresh = updateParts(await newerPage(), null)
  for (const part of fresh) improve(part)
  const answer = fresh.find((part) => part.matches('.answer'))
  if (answer === undefined) return
  answer.tabIndex = -1
  answer.classList.add('arrived')
  answer.focus()
}

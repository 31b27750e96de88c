import { announce } from './announce.js'
import { counted, tellBell } from './bell.js'
import { stateOf } from './live-state.js'
import { isSending, newerPage } from './newer-page.js'
import { arriveAt, updateParts } from './parts.js'

/** How often a hidden page asks, for the number in its tab. */
const HIDDEN_MS = 60_000

/**
 * Tells of answers, or of a list's questions, that came while the page was open, beside the text of the tab too. What a question's
 * page says of its state is brought up to date without being asked. Connected only while the page is visible, as a
 * browser has few connections to one server and each open page takes one; a hidden page asks from time to time.
 * @param {HTMLElement} note an empty element, which gets a link
 * @param {(root: ParentNode) => void} improve gives what is put in its behaviours
 */
export function tellOfNews(note, improve) {
  const { live = '', event: name = 'answers' } = note.dataset
  const isAnswers = name === 'answers'
  let latest = 0
  /** What stands before the page's title. */
  let prefix = ''
  /** @type {EventSource | undefined} */
  let source
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const link = document.createElement('a')
  // The first row's title (views/questions/_question-row.eta) gets the focus in the page that comes.
  link.href = isAnswers ? '#answers' : '#newest'
  link.addEventListener('click', (event) => {
    // What is being typed is kept as a draft.
    if (!isAnswers) return setTimeout(() => location.reload())
    event.preventDefault()
    showNewer(improve).then(show, () => location.reload())
  })

  const show = () => {
    if (isSending()) return
    const fresh = latest - (isAnswers ? document.querySelectorAll('.answer').length : 0)
    const title = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title
    prefix = fresh > 0 ? `(${fresh}) ` : ''
    document.title = prefix + title
    if (fresh <= 0) return link.remove()
    const text = counted(note, fresh)
    if (link.isConnected && link.textContent === text) return
    // It may have the focus: the same element stays.
    link.textContent = text
    if (!link.isConnected) note.append(link)
    announce(text)
  }
  const showState = stateOf(note, improve, show)
  const connect = () => {
    source = new EventSource(live)
    tellBell(source)
    source.addEventListener(name, ({ data }) => {
      latest = Number(data)
      show()
      if (document.visibilityState === 'hidden') listen()
    })
    source.addEventListener('state', ({ data }) => void showState(data))
  }
  const listen = () => {
    source?.close()
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(connect, HIDDEN_MS)
    else connect()
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
 * Puts in what is new on the page, and moves the focus to the first new answer.
 * @param {(root: ParentNode) => void} improve
 */
async function showNewer(improve) {
  const fresh = updateParts(await newerPage(), null)
  for (const part of fresh) improve(part)
  const answer = fresh.find((part) => part.matches('.answer'))
  if (answer !== undefined) arriveAt(answer)
}

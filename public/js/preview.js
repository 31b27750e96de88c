import { later } from './later.js'
import { postedText } from './shown-mentions.js'

const PREVIEW = '/preview'
/** How long typing pauses before the preview beside it follows, in milliseconds: one account may have 60 a minute. */
const PAUSE_MS = 1000

/**
 * Preview shows the text where it is written and gets the focus, and Write brings the textarea back. On a wide page
 * (public/css/components/editor.css) it stands beside the text and follows it.
 * @param {HTMLElement} editor
 * @param {HTMLTextAreaElement} area
 */
export function switchPreview(editor, area) {
  const [write, preview] = [
    editor.querySelector('button[data-write]'),
    editor.querySelector('button[data-preview]'),
  ]
  if (!(write instanceof HTMLButtonElement && preview instanceof HTMLButtonElement)) return
  const pane = document.createElement('div')
  pane.className = 'preview'
  pane.setAttribute('role', 'group')
  pane.setAttribute('aria-label', preview.textContent ?? '')
  pane.tabIndex = 0
  pane.hidden = true
  area.after(pane)
  const label = document.createElement('span')
  label.className = 'preview-label'
  label.textContent = preview.textContent
  preview.closest('.editor-bar')?.append(label)
  write.hidden = false
  preview.type = 'button'

  const isBeside = () => label.checkVisibility()
  let isPreview = false
  const settle = () => {
    pane.hidden = !isBeside() && !isPreview
    area.hidden = !isBeside() && isPreview
  }
  /** @param {boolean} isShown */
  const show = (isShown) => {
    isPreview = isShown
    settle()
    write.setAttribute('aria-pressed', String(!isPreview))
    preview.setAttribute('aria-pressed', String(isPreview))
    editor.classList.toggle('previewing', isPreview)
  }
  show(false)
  write.addEventListener('click', () => {
    show(false)
    area.focus()
  })
  preview.addEventListener('click', async () => {
    const text = await previewOf(area, preview.value)
    if (text === null) return sendAway(preview)
    shown = null
    pane.replaceChildren(...text)
    show(true)
    // Read at one's own pace, by moving on from here: a live region would say the whole post at once.
    pane.focus()
  })
  /** What the preview beside the text shows. @type {string | null} */
  let shown = null
  const followText = async () => {
    const typed = postedText(area)
    if (!isBeside() || typed === shown) return
    shown = typed
    const text = typed.trim() === '' ? [] : await previewOf(area, preview.value)
    // Too many of them, or nothing answers: it follows later.
    if (text !== null && shown === typed) pane.replaceChildren(...text)
  }
  const soon = later(() => void followText(), PAUSE_MS)
  for (const name of ['input', 'filled']) area.addEventListener(name, soon)
  new ResizeObserver(() => {
    settle()
    soon()
  }).observe(editor)
  // A browser cannot point at a field that it does not show.
  area.addEventListener('invalid', () => show(false))
}

/**
 * @param {HTMLTextAreaElement} area
 * @param {string} to where it is posted, which tells, with the course of a new question, whom its names mean
 * @returns {Promise<Node[] | null>} the text as it will look, or what is wrong with it; null: no answer of that kind came
 */
async function previewOf(area, to) {
  if (area.form === null) return null
  const fields = new FormData(area.form)
  const body = new URLSearchParams({ body: postedText(area), to })
  for (const name of ['_csrf', 'course']) body.set(name, String(fields.get(name) ?? ''))
  try {
    const response = await fetch(PREVIEW, {
      method: 'POST',
      body,
      headers: { accept: 'text/html; fragment=1' },
    })
    if (response.redirected || !(response.ok || response.status === 422)) return null
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    return [...page.body.childNodes]
  } catch {
    return null
  }
}

/**
 * The page of the preview says what is wrong: signing in, too many of them, no connection.
 * @param {HTMLButtonElement} preview
 */
function sendAway(preview) {
  preview.type = 'submit'
  preview.form?.requestSubmit(preview)
}

import { postedText } from './shown-mentions.js'

const PREVIEW = '/preview'

/**
 * Preview shows the text where it is written, and Write brings the textarea back.
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
  pane.setAttribute('aria-live', 'polite')
  pane.hidden = true
  area.after(pane)
  write.hidden = false
  preview.type = 'button'

  /** @param {boolean} isPreview */
  const show = (isPreview) => {
    pane.hidden = !isPreview
    area.hidden = isPreview
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
    const text = await previewOf(area)
    if (text === null) return sendAway(preview)
    pane.replaceChildren(...text)
    show(true)
  })
  // A browser cannot point at a field that it does not show.
  area.addEventListener('invalid', () => show(false))
}

/**
 * @param {HTMLTextAreaElement} area
 * @returns {Promise<Node[] | null>} the text as it will look, or what is wrong with it; null: no answer of that kind came
 */
async function previewOf(area) {
  if (area.form === null) return null
  const body = new URLSearchParams({ body: postedText(area) })
  const token = new FormData(area.form).get('_csrf')
  if (typeof token === 'string') body.set('_csrf', token)
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

import { announce } from './announce.js'

/** Kinds that the forum takes; anything else is dropped or pasted as the browser does it. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/

/**
 * Pictures are chosen, dropped on the editor or pasted, and their Markdown is put in where the cursor was. While one is sent, its
 * place shows how much has gone; then it asks for words where there are none. Without scripts the file is sent with the form.
 * @param {HTMLElement} editor
 * @param {HTMLTextAreaElement} area
 */
export function takePictures(editor, area) {
  const drop = editor.querySelector('.drop')
  const status = editor.querySelector('[data-upload-status]')
  const button = drop?.querySelector('button[formaction="/uploads"]')
  const [file, alt] = ['file', 'alt'].map((name) => drop?.querySelector(`input[name="${name}"]`))
  if (!(status instanceof HTMLElement) || !(button instanceof HTMLButtonElement)) return
  const send = async (/** @type {File} */ picture, /** @type {string} */ words) => {
    const { begun = '', inserted = '', undescribed = '' } = status.dataset
    status.classList.remove('error')
    announce(begun)
    const error = await upload(area, status, picture, words)
    status.classList.toggle('error', error !== '')
    status.textContent = error || (words === '' ? undescribed : '')
    announce(error || (words === '' ? undescribed : inserted))
    if (error === '') area.focus()
    return error === ''
  }
  button.addEventListener('click', async (event) => {
    if (!(file instanceof HTMLInputElement) || !(alt instanceof HTMLInputElement)) return
    const picture = file.files?.[0]
    if (picture === undefined) return
    event.preventDefault()
    if (!(await send(picture, alt.value))) return
    file.value = ''
    alt.value = ''
  })
  area.addEventListener('paste', (event) => {
    const picture = pictureIn(event.clipboardData)
    // A spreadsheet's cells come as text and as a picture of them: the text is meant.
    if (picture === null || event.clipboardData?.types.includes('text/plain')) return
    event.preventDefault()
    void send(picture, '')
  })
  // Words are being written, or something else.
  area.addEventListener('input', () => {
    if (!status.classList.contains('error')) status.textContent = ''
  })
  editor.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    drop?.classList.add('over')
  })
  for (const name of ['dragleave', 'drop'])
    editor.addEventListener(name, () => drop?.classList.remove('over'))
  editor.addEventListener('drop', (event) => {
    const picture = pictureIn(event.dataTransfer)
    if (picture === null) return
    event.preventDefault()
    void send(picture, '')
  })
}

/** @param {DataTransfer | null} data */
function pictureIn(data) {
  return [...(data?.files ?? [])].find(({ type }) => PICTURE.test(type)) ?? null
}

/**
 * Sends a picture and puts its Markdown into the text. fetch does not tell how much of a body has gone; XMLHttpRequest does.
 * @param {HTMLTextAreaElement} area
 * @param {HTMLElement} status
 * @param {File} picture
 * @param {string} words that stand for it
 * @returns {Promise<string>} what went wrong; empty: nothing
 */
function upload(area, status, picture, words) {
  const token = area.form?.querySelector('input[name="_csrf"]')
  const body = new FormData()
  if (token instanceof HTMLInputElement) body.set('_csrf', token.value)
  body.set('alt', words)
  body.set('file', picture)
  const { sending = '', failed = '' } = status.dataset
  const at = area.selectionStart
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      status.textContent = sending.replace('#', String(Math.round((loaded / total) * 100)))
    })
    request.addEventListener('load', () => {
      const { markdown, error } = answerOf(request)
      if (markdown !== undefined) insert(area, at, markdown, words === '')
      resolve(markdown === undefined ? (error ?? failed) : '')
    })
    request.addEventListener('error', () => resolve(failed))
    request.open('POST', '/uploads')
    request.setRequestHeader('accept', 'application/json')
    request.send(body)
  })
}

/**
 * @param {XMLHttpRequest} request
 * @returns {{ markdown?: string, error?: string }}
 */
function answerOf(request) {
  try {
    return JSON.parse(request.responseText)
  } catch {
    return {}
  }
}

/**
 * A picture stands on a line of its own. Without words for it, the cursor lands where they belong.
 * @param {HTMLTextAreaElement} area
 * @param {number} at
 * @param {string} markdown
 * @param {boolean} needsWords
 */
function insert(area, at, markdown, needsWords) {
  const before = area.value.slice(0, at)
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  area.setRangeText(`${gap}${markdown}\n\n`, at, at, 'end')
  const words = at + gap.length + '!['.length
  if (needsWords) area.setSelectionRange(words, words)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

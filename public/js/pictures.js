import { writtenPictures } from '../../src/text/picture-address.ts'
import { announce } from './announce.js'
import { saidOf, sentRow, showPictures } from './picture-rows.js'
import { uploadPicture } from './picture-upload.js'
import { isPost } from './send-once.js'
import { unmarkSent } from './sent-draft.js'

/** Where a picture belongs in a text that is typed in meanwhile. @typedef {{ at: number, isTyped: boolean }} Place */

/** Kinds that the forum takes; anything else is dropped or pasted as the browser does it. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif)$/

/**
 * Pictures are chosen, dropped on the editor or pasted. Each is sent at once: a row below the text shows how much has gone, or what
 * went wrong, until its Markdown stands where the cursor was. Without scripts the file is sent with the form.
 * @param {HTMLElement} editor
 * @param {HTMLTextAreaElement} area
 */
export function takePictures(editor, area) {
  const list = editor.querySelector('.pictures')
  const chooser = editor.querySelector('input[name="file"]')
  const tool = editor.querySelector('button[data-picture]')
  if (!(list instanceof HTMLElement && chooser instanceof HTMLInputElement)) return
  const rows = showPictures(list, area)
  const hold = placesIn(area)
  const held = holdPost(area)

  const take = (/** @type {Iterable<File>} */ files) => {
    for (const picture of files) {
      const place = hold.begin()
      let cancel = () => {}
      const row = sentRow(picture.name, {
        again: () => void send(),
        cancel: () => {
          cancel()
          leave()
          tool instanceof HTMLElement && tool.focus()
        },
      })
      const leave = () => {
        hold.end(place)
        row.li.remove()
        rows.show()
      }
      const send = async () => {
        announce(saidOf('begun'))
        row.tell(0)
        const sending = uploadPicture(picture, area.form, row.tell)
        cancel = sending.cancel
        const uploaded = await held.until(sending.uploaded)
        if (uploaded === null) return
        if ('error' in uploaded) {
          const error = uploaded.error || saidOf('failed')
          announce(error)
          return row.fail(error, uploaded.isForNow)
        }
        const { activeElement } = document
        const isWaiting = activeElement === tool || row.li.contains(activeElement)
        leave()
        insert(area, place, uploaded.markdown)
        if (isWaiting) rows.describe(uploaded.address)
        announce(saidOf(isWaiting || (activeElement === area && !place.isTyped) ? 'undescribed' : 'inserted'))
      }
      list.append(row.li)
      list.hidden = false
      void send()
    }
  }

  tool?.addEventListener('click', () => chooser.click())
  chooser.addEventListener('change', () => {
    take([...(chooser.files ?? [])])
    chooser.value = ''
  })
  area.addEventListener('paste', (event) => {
    const pictures = picturesIn(event.clipboardData)
    // A spreadsheet's cells come as text and as a picture of them: the text is meant.
    if (pictures.length === 0 || event.clipboardData?.types.includes('text/plain')) return
    event.preventDefault()
    take(pictures)
  })
  editor.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    editor.classList.add('over')
  })
  for (const name of ['dragleave', 'drop'])
    editor.addEventListener(name, () => editor.classList.remove('over'))
  editor.addEventListener('drop', (event) => {
    const pictures = picturesIn(event.dataTransfer)
    if (pictures.length === 0) return
    event.preventDefault()
    take(pictures)
  })
}

/** @param {DataTransfer | null} data */
function picturesIn(data) {
  return [...(data?.files ?? [])].filter(({ type }) => PICTURE.test(type))
}

/**
 * Places in a text, which move with what is typed before them.
 * @param {HTMLTextAreaElement} area
 */
function placesIn(area) {
  /** @type {Set<Place>} */
  const places = new Set()
  let last = area.value
  area.addEventListener('input', () => {
    const { value } = area
    let start = 0
    while (start < last.length && value[start] === last[start]) start += 1
    for (const place of places) {
      if (place.at < start) continue
      place.at = Math.max(start, place.at + value.length - last.length)
      place.isTyped = true
    }
    last = value
  })
  return {
    begin() {
      const place = { at: area.selectionStart, isTyped: false }
      last = area.value
      places.add(place)
      return place
    },
    /** @param {Place} place */
    end: (place) => places.delete(place),
  }
}

/**
 * A post waits for its pictures: without them it would say something else. Where one fails, it is not sent.
 * @param {HTMLTextAreaElement} area
 */
function holdPost({ form }) {
  let under = 0
  /** @type {HTMLElement | null | undefined} what sends the form that waits; undefined: none does */
  let submitter
  document.addEventListener(
    'submit',
    (event) => {
      if (event.target !== form || under === 0 || !isPost(form, event.submitter)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      submitter = event.submitter
    },
    true,
  )
  return {
    /** @param {ReturnType<typeof uploadPicture>['uploaded']} uploaded */
    async until(uploaded) {
      under += 1
      const result = await uploaded
      under -= 1
      if (submitter === undefined) return result
      const isFailed = result === null || 'error' in result
      if (isFailed || under === 0) {
        const by = submitter
        submitter = undefined
        if (isFailed) {
          unmarkSent()
          form?.dispatchEvent(new Event('unsent', { bubbles: true }))
        } else setTimeout(() => form?.requestSubmit(by))
      }
      return result
    },
  }
}

/**
 * A picture stands on a line of its own, and in no other. Where one types and has typed nothing meanwhile, the cursor lands where its
 * words belong.
 * @param {HTMLTextAreaElement} area
 * @param {Place} place
 * @param {string} markdown
 */
function insert(area, { at: from, isTyped }, markdown) {
  const { value } = area
  const around = writtenPictures(value).find(({ at, end }) => at < from && from < end)
  const line = value.indexOf('\n', from)
  const at = around?.end ?? (isTyped ? (line < 0 ? value.length : line) : from)
  const before = value.slice(0, at)
  const gap = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n'
  area.setRangeText(`${gap}${markdown}\n\n`, at, at, isTyped ? 'preserve' : 'end')
  const words = at + gap.length + '!['.length
  if (!isTyped && document.activeElement === area) area.setSelectionRange(words, words)
  area.dispatchEvent(new Event('input', { bubbles: true }))
}

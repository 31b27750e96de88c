import { pictureMarkdown, writtenPictures } from '../../src/text/picture-address.ts'
import { announce } from './announce.js'

/** @typedef {{ li: HTMLElement, address: string, words: HTMLInputElement | null }} Row */

/**
 * Shows the pictures of a text below it, each with its description: that and what stands in the text are one, so that typing in
 * either changes the other.
 * @param {HTMLElement} list
 * @param {HTMLTextAreaElement} area
 */
export function showPictures(list, area) {
  /** @type {Row[]} */
  let rows = []
  const change = (/** @type {Row} */ row, /** @type {string} */ markdown) => {
    const picture = writtenPictures(area.value)[rows.indexOf(row)]
    if (picture === undefined) return
    const end = markdown === '' ? endOfGap(area.value, picture.end) : picture.end
    area.setRangeText(markdown, picture.at, end, 'end')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const rowOf = (/** @type {string} */ address) => {
    const li = pictureRow('written')
    const row = { li, address, words: li.querySelector('input') }
    const image = new Image()
    Object.assign(image, { src: address, alt: '' })
    li.querySelector('.thumb')?.append(image)
    row.words?.addEventListener('input', () => change(row, pictureMarkdown(row.words?.value ?? '', address)))
    li.querySelector('button')?.addEventListener('click', () => {
      change(row, '')
      announce(saidOf('removed'))
      area.focus()
    })
    return row
  }
  const show = () => {
    const pictures = writtenPictures(area.value)
    const before = [...rows]
    rows = pictures.map(({ address }) => {
      const at = before.findIndex((row) => row.address === address)
      return (at < 0 ? undefined : before.splice(at, 1)[0]) ?? rowOf(address)
    })
    for (const { li } of before) li.remove()
    for (const [index, { li, words }] of rows.entries()) {
      if (list.children[index] !== li) list.insertBefore(li, list.children[index] ?? null)
      name(li, `${index + 1}`, `${area.id}-picture-${index + 1}`)
      const { words: written = '' } = pictures[index] ?? {}
      if (words !== null && words.value !== written) words.value = written
    }
    list.hidden = list.childElementCount === 0
  }
  for (const event of ['input', 'filled']) area.addEventListener(event, show)
  show()
  return {
    show,
    /** Puts the cursor into a picture's description. @param {string} address */
    describe: (address) => rows.findLast((row) => row.address === address)?.words?.focus(),
  }
}

/**
 * The row of a picture that is being sent.
 * @param {string} file its name
 * @param {{ again: () => void, cancel: () => void }} acts
 */
export function sentRow(file, acts) {
  const li = pictureRow('sent')
  const [progress, sending, error] = ['progress', '.soft', '.error'].map((part) => li.querySelector(part))
  const [again, cancel] = li.querySelectorAll('button')
  const model = sending?.textContent ?? ''
  li.querySelector('b')?.replaceChildren(file)
  cancel?.setAttribute('aria-label', cancel.getAttribute('aria-label')?.replace('#', () => file) ?? '')
  again?.addEventListener('click', () => {
    cancel?.focus()
    acts.again()
  })
  cancel?.addEventListener('click', acts.cancel)
  const show = (/** @type {boolean} */ isFailed, /** @type {boolean} */ canAgain) => {
    for (const part of [progress, sending]) part?.toggleAttribute('hidden', isFailed)
    error?.toggleAttribute('hidden', !isFailed)
    again?.toggleAttribute('hidden', !canAgain)
  }
  return {
    li,
    /** @param {number} percent */
    tell(percent) {
      show(false, false)
      sending?.replaceChildren(model.replace('#', `${percent}`))
      if (progress instanceof HTMLProgressElement) progress.value = percent
    },
    /**
     * @param {string} text what went wrong
     * @param {boolean} canAgain the same file may be taken
     */
    fail(text, canAgain) {
      error?.replaceChildren(text)
      show(true, canAgain)
    },
  }
}

/** @param {'begun' | 'inserted' | 'undescribed' | 'removed' | 'failed'} event */
export function saidOf(event) {
  return rowsTemplate()?.dataset[event] ?? ''
}

/**
 * A row of the page's template (views/components/_picture-rows.eta).
 * @param {'written' | 'sent'} kind
 */
function pictureRow(kind) {
  const row = rowsTemplate()?.content.querySelector(`[data-picture-row="${kind}"]`)?.cloneNode(true)
  return row instanceof HTMLElement ? row : document.createElement('li')
}

function rowsTemplate() {
  const template = document.querySelector('template[data-pictures]')
  return template instanceof HTMLTemplateElement ? template : null
}

/**
 * Names the parts of a row by its place.
 * @param {HTMLElement} li
 * @param {string} place
 * @param {string} id of its description
 */
function name(li, place, id) {
  if (li.dataset.place === place) return
  li.dataset.place = place
  const model = pictureRow('written')
  li.querySelector('input')?.setAttribute('id', id)
  const label = li.querySelector('label')
  label?.setAttribute('for', id)
  label?.replaceChildren(model.querySelector('label')?.textContent?.replace('#', place) ?? '')
  const remove = model.querySelector('button')?.getAttribute('aria-label') ?? ''
  li.querySelector('button')?.setAttribute('aria-label', remove.replace('#', place))
}

/**
 * Where a picture's own lines end: it leaves none when it goes.
 * @param {string} text
 * @param {number} end of the picture
 */
function endOfGap(text, end) {
  return end + (/^\n{0,2}/.exec(text.slice(end))?.[0].length ?? 0)
}

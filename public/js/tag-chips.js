import { closedTags, preselectedTag, withTags } from '../../src/text/tag-chips.ts'
import { isTag, TAGS, tagNameOf, typedTags } from '../../src/text/tag-name.ts'
import { announce } from './announce.js'
import { chipOf, framed, tellFault } from './chips.js'

/**
 * Shows each tag of a question as a chip, and suggests those of the course while one is typed. The field of the plain form, with
 * commas between the tags, stays behind it: it is what is posted and what drafts save.
 * @param {HTMLElement} place around the field, with a `<template>` of a chip and texts in its data
 * @param {typeof import('./suggestion-box.js').offerSuggestions} offer
 */
export function chipTags(place, offer) {
  const field = place.querySelector('input[name="tags"]')
  const template = place.querySelector('template')
  if (!(field instanceof HTMLInputElement) || template === null) return
  const { frame, list, box } = framed(field)
  const { course = '', label = '', added = '', removed = '', create = '', found } = place.dataset
  /** @type {string[]} */
  let tags = []
  /** The tag of the course that what is typed means; null: it means itself. @type {string | null} */
  let means = null

  const show = () => {
    list.replaceChildren(...tags.map((tag) => chipOf(tag, template)))
    list.hidden = tags.length === 0
    tellFault(box, faultOf(tags, place))
  }
  const read = () => {
    tags = withTags([], typedTags(field.value))
    box.value = ''
    show()
  }
  const changed = () => {
    show()
    // Saved with the draft, and no longer suggested.
    box.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const add = (/** @type {string[]} */ typed, rest = '') => {
    tags = withTags(tags, typed)
    box.value = rest
    announce(added.replace('#', () => typed.map(tagNameOf).join(', ')))
    changed()
  }
  const remove = (/** @type {number} */ index) => {
    announce(removed.replace('#', () => tags[index] ?? ''))
    tags = tags.filter((_tag, at) => at !== index)
    changed()
  }
  const close = () => {
    const { closed, rest } = closedTags(box.value)
    if (closed.length > 0) return add(closed, rest)
    if (/^[,，、]/u.test(box.value)) box.value = rest
    field.value = [...tags, box.value.trim()].filter((tag) => tag !== '').join(', ')
  }

  // Before the suggestions and the draft hear of it.
  box.addEventListener('input', (event) => {
    if (event instanceof InputEvent && event.isComposing) return
    close()
  })
  box.addEventListener('compositionend', close)
  box.addEventListener('paste', (event) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    if (!/[,，、\n]/u.test(pasted.trim())) return
    event.preventDefault()
    add(typedTags(`${box.value},${pasted.replace(/\s*\n\s*/g, ',')}`))
  })
  offer(box, frame, label, {
    found,
    find: async () => {
      const typed = tagNameOf(box.value)
      if (typed === '') return []
      const answer = await fetch(`/questions/tags?${new URLSearchParams({ course, q: typed })}`)
      /** @type {{ suggestions: { text: string }[], means: string | null }} */
      const found = answer.ok ? await answer.json() : { suggestions: [], means: null }
      const known = found.suggestions.map(({ text }) => ({ text, name: text }))
      means = found.means
      const isNew =
        isTag(typed) && means === null && !tags.includes(typed) && !known.some(({ name }) => name === typed)
      const own = isNew ? [{ text: create.replace('#', () => typed), name: typed }] : []
      return [...known.filter(({ name }) => !tags.includes(name)), ...own]
    },
    first: (suggestions) => {
      const known = suggestions.filter(({ text, name }) => text === name).map(({ text }) => text)
      const index = preselectedTag(means ?? box.value, known)
      // Else what was typed: its row, where there is one.
      return index >= 0 ? index : suggestions.findIndex(({ name }) => name === tagNameOf(box.value))
    },
    choose: ({ name = '' }) => add([name]),
  })
  box.addEventListener('keydown', (event) => {
    const { key } = event
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const isEmpty = box.value.trim() === ''
    if (key === 'Backspace' && box.value === '' && !event.repeat && tags.length > 0) remove(tags.length - 1)
    else if ((key === 'Enter' || (key === 'Tab' && !event.shiftKey)) && !isEmpty) add(typedTags(box.value))
    else return
    event.preventDefault()
  })
  list.addEventListener('click', ({ target }) => {
    const chip = target instanceof Element ? target.closest('button')?.closest('li') : null
    if (!chip) return
    const index = [...list.children].indexOf(chip)
    remove(index)
    const next = list.children[Math.min(index, tags.length - 1)]?.querySelector('button') ?? box
    next.focus()
  })
  frame.addEventListener('click', ({ target }) => target === frame && box.focus())
  field.addEventListener('filled', read)

  const { value } = field
  const isTyping = document.activeElement === field
  read()
  if (!isTyping) return
  // The last one is still being typed.
  tags = withTags([], closedTags(value).closed)
  box.value = closedTags(value).rest
  show()
  box.focus()
}

/**
 * What is wrong with the tags, in the words of the form's refusal; empty: nothing.
 * @param {string[]} tags
 * @param {HTMLElement} place
 */
function faultOf(tags, { dataset: { wrong = '', many = '' } }) {
  const bad = tags.find((tag) => !isTag(tag))
  if (bad !== undefined) return wrong.replace('{}', () => bad)
  return tags.length > TAGS.most ? many : ''
}

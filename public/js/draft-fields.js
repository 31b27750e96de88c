import { shownOf } from '../../src/text/shown-mentions.ts'
import { tellFault } from './chips.js'
import { postedText } from './shown-mentions.js'

/** @typedef {HTMLInputElement | HTMLTextAreaElement} Text */
/** @typedef {Text | HTMLSelectElement} Control */
/** @typedef {Record<string, string>} Fields */

/** The post's readers, and whether its author is named: they come back before the text does. */
const FIRST = ['audience', 'anonymous']
/** Values of the page itself, secrets, and fields that no page can fill. */
const NOT_KEPT = new Set(['hidden', 'password', 'file', 'submit', 'button', 'reset', 'image'])

/**
 * The named fields of a form, whichever it has: what a draft keeps of it.
 * @param {HTMLFormElement} form
 */
export function fieldsOf(form) {
  /** @type {(() => void)[]} what takes away again what a draft put in */
  const undo = []
  const controls = () => [...form.elements].filter(isKept)
  const named = (/** @type {string} */ name) => controls().filter((control) => control.name === name)
  const read = (/** @type {(control: Control) => string | null} */ valueIn) =>
    controls().flatMap((control) => {
      const value = valueIn(control)
      return value === null ? [] : [{ name: control.name, value, isText: isText(control) }]
    })
  const fieldsBy = (/** @type {(control: Control) => string | null} */ valueIn) => ({
    ...Object.fromEntries(read(valueIn).map(({ name, value }) => [name, value])),
    ...baseOf(form),
  })
  const opened = fieldsBy(openedValue)

  const fill = (/** @type {Fields} */ fields) => {
    for (const act of undo.splice(0)) act()
    for (const name of new Set([...FIRST, ...Object.keys(fields), ...controls().map(({ name }) => name)])) {
      const value = fields[name]
      if (value !== undefined && named(name).length === 0) undo.push(bringBack(form, name, value))
      for (const control of named(name)) {
        if (isText(control)) control.value = value ?? ''
        else if (value !== undefined) undo.push(choose(control, value))
        control.dispatchEvent(new Event('filled', { bubbles: true }))
      }
    }
    const base = baseField(form)
    if (base !== null) base.value = fields.base_version ?? base.value
  }
  return {
    /** As they stand: a text with whom it means. */
    typed: () => fieldsBy(typedValue),
    fill,
    /** As they came with the page, to begin again. */
    reset() {
      fill(opened)
      controls().find(isText)?.focus()
    },
    isUntouched: () => fieldsEqual(read(typedValue), opened),
    /** Whether nobody has written anything: the texts are empty, or as the course begins questions. */
    isBlank: () =>
      controls()
        .filter(isText)
        .every(({ value, dataset }) => value.trim() === '' || value.trim() === dataset.template?.trim()),
    /** Whether a draft is what stands here. @param {Fields} fields */
    isIn: (fields) => fieldsEqual(read(typedValue), fields),
    /** Whether it is what is shown here, as a browser brings it back: whom a text means is in the draft. @param {Fields} fields */
    isShownIn: (fields) =>
      fieldsEqual(
        read(shownValue),
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shownOf(value).text])),
      ),
    /** The names, for people, of what a draft brought back beside title and text. */
    brought: () =>
      controls()
        .filter((control) => !(control instanceof HTMLTextAreaElement) && control.name !== 'title')
        .filter((control) => !['', '0', null, opened[control.name]].includes(typedValue(control)))
        .map((control) => labelOf(control, form)),
  }
}

/**
 * @param {readonly { name: string, value: string, isText: boolean }[]} standing
 * @param {Fields} fields an older draft says nothing of some choices
 */
function fieldsEqual(standing, fields) {
  return standing.every(({ name, value, isText }) => (fields[name] ?? (isText ? '' : value)) === value)
}

/**
 * @param {Control} control
 * @returns {string | null} null: another of its name says it
 */
function typedValue(control) {
  return isText(control) ? postedText(control) : shownValue(control)
}

/** @param {Control} control */
function shownValue(control) {
  return isChoice(control) ? checkedValue(control, control.checked) : control.value
}

/** @param {Control} control */
function openedValue(control) {
  if (isChoice(control)) return checkedValue(control, control.defaultChecked)
  if (control instanceof HTMLSelectElement)
    return (
      ([...control.options].find(({ defaultSelected }) => defaultSelected) ?? control.options[0])?.value ?? ''
    )
  return control.defaultValue
}

/**
 * @param {HTMLInputElement} choice
 * @param {boolean} isChecked
 */
function checkedValue({ type, value }, isChecked) {
  if (isChecked) return value
  return type === 'checkbox' ? '0' : null
}

/**
 * Gives a choice the draft's value. One that is gone stands in its list nevertheless, and the field says so: it is never silently
 * another.
 * @param {HTMLInputElement | HTMLSelectElement} control
 * @param {string} value
 * @returns {() => void} takes away again what was put in
 */
function choose(control, value) {
  if (control instanceof HTMLInputElement) {
    control.checked = control.value === value
    return () => {}
  }
  const { goneOption = '#', goneError = '' } = control.dataset
  const isKnown = [...control.options].some((option) => option.value === value)
  const option = new Option(
    goneOption.replace('#', () => value),
    value,
  )
  const settle = () => tellFault(control, '', control)
  if (!isKnown) {
    control.append(option)
    tellFault(control, goneError, control)
    control.addEventListener('change', settle, { once: true })
  }
  control.value = value
  return () => {
    option.remove()
    if (!isKnown) settle()
  }
}

/**
 * Puts in the field that a draft has and its form has no more, with what it says about that: of a post that was to be private or
 * anonymous, nothing more open is posted before its author chose so.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} value
 * @returns {() => void} takes it away again
 */
function bringBack(form, name, value) {
  const own = [...form.querySelectorAll('template[data-gone]')]
  const template = [...own, ...document.querySelectorAll('main > template[data-gone]')].find(
    (gone) => gone instanceof HTMLTemplateElement && gone.dataset.gone === name,
  )
  if (
    !(template instanceof HTMLTemplateElement) ||
    (template.dataset.value ?? value) !== value ||
    value === ''
  )
    return () => {}
  const nodes = [...template.content.children].map((node) => node.cloneNode(true))
  for (const node of nodes)
    if (node instanceof Element) node.querySelector('input:not([name])')?.setAttribute('name', name)
  if (own.includes(template)) template.after(...nodes)
  else form.querySelector('[data-draft-status]')?.parentElement?.before(...nodes)
  return () => {
    for (const node of nodes) node.parentNode?.removeChild(node)
  }
}

/**
 * @param {Control} control
 * @param {HTMLFormElement} form
 */
function labelOf(control, form) {
  const label = control.labels?.[0] ?? form.querySelector(`label[for="${control.name}"]`)
  return (label?.querySelector('b') ?? label?.firstChild)?.textContent?.trim() ?? ''
}

/**
 * The version of the post that an edit began with: a draft of it must not overwrite what others changed since.
 * @param {HTMLFormElement} form
 * @returns {Fields}
 */
function baseOf(form) {
  const base = baseField(form)
  return base === null ? {} : { base_version: base.value }
}

/** @param {HTMLFormElement} form */
function baseField(form) {
  const base = form.querySelector('input[name="version"]')
  return base instanceof HTMLInputElement ? base : null
}

/**
 * @param {Element} element
 * @returns {element is Control}
 */
function isKept(element) {
  const isControl =
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  if (!isControl || element.name === '' || NOT_KEPT.has(element.type)) return false
  // People don't see it, and fill in nothing.
  return element.closest('[aria-hidden="true"]') === null
}

/**
 * @param {Control} control
 * @returns {control is Text}
 */
function isText(control) {
  return !(control instanceof HTMLSelectElement || isChoice(control))
}

/**
 * @param {Control} control
 * @returns {control is HTMLInputElement}
 */
function isChoice(control) {
  return control instanceof HTMLInputElement && ['checkbox', 'radio'].includes(control.type)
}

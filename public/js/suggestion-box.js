import { announce } from './announce.js'
import { later } from './later.js'

const PAUSE_MS = 180

/**
 * @typedef {{ text: string, path?: string, name?: string, id?: string, lang?: string | null, note?: string | null }} Suggestion
 * @typedef {{
 *   find: (text: string) => Promise<Suggestion[]>,
 *   found?: string | undefined,
 *   foundOne?: string | undefined,
 *   choose: (suggestion: Suggestion) => void,
 *   first?: (suggestions: Suggestion[]) => number,
 *   takesTab?: boolean,
 *   settle?: (list: HTMLElement) => void,
 * }} Source `note` of a suggestion: what it is, in the page's language. `first`: which one is chosen for what is typed now before anyone chooses, -1 none. `takesTab`: Tab takes it as Enter does. `settle`
 * puts the shown list in its place.
 */

/**
 * Suggestions under a field while typing: the ARIA combobox pattern with a listbox popup
 * (w3.org/WAI/ARIA/apg/patterns/combobox). Enter without a choice does what it does without them. A textarea stays a textbox: no
 * other role is allowed there.
 * @param {HTMLInputElement | HTMLTextAreaElement} input
 * @param {HTMLElement} place holds the list
 * @param {string} label names the list
 * @param {Source} source
 */
export function offerSuggestions(input, place, label, source) {
  const list = document.createElement('ul')
  list.id = `${input.id}-suggestions`
  list.className = 'suggestions'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', label)
  place.append(list)
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  if (input instanceof HTMLInputElement) {
    input.setAttribute('role', 'combobox')
    input.setAttribute('aria-expanded', 'false')
  } else input.setAttribute('aria-haspopup', 'listbox')

  const box = new SuggestionBox(input, list, source)
  const ask = later(() => box.ask(), PAUSE_MS)
  input.addEventListener('input', () => {
    // What is shown may be for what was typed before.
    if (source.first) box.choose(source.first(box.suggestions))
    ask()
  })
  input.addEventListener('keydown', (event) => {
    if (event instanceof KeyboardEvent) box.onKey(event)
  })
  input.addEventListener('blur', () => box.close())
  // Before blur, which would close the list under the pointer.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null
    if (option !== null) box.take([...list.children].indexOf(option))
  })
}

class SuggestionBox {
  /** @type {Suggestion[]} */
  suggestions = []
  chosen = -1
  asked = 0

  /**
   * @param {HTMLInputElement | HTMLTextAreaElement} input
   * @param {HTMLElement} list
   * @param {Source} source
   */
  constructor(input, list, source) {
    this.input = input
    this.list = list
    this.source = source
  }

  async ask() {
    const asked = ++this.asked
    try {
      const suggestions = await this.source.find(this.input.value)
      if (asked === this.asked && document.activeElement === this.input) this.show(suggestions)
    } catch {
      this.close()
    }
  }

  /** @param {Suggestion[]} suggestions */
  show(suggestions) {
    const { length } = suggestions
    // How many there are is said where the source has words for it, and once.
    const { found, foundOne = found } = this.source
    if (length > 0 && length !== this.suggestions.length)
      announce((length === 1 ? foundOne : found)?.replace('#', String(length)) ?? '')
    this.suggestions = suggestions
    const options = suggestions.map(({ text, lang, note }, index) => {
      const option = document.createElement('li')
      option.id = `${this.list.id}-${index}`
      option.textContent = text
      if (lang) option.lang = lang
      if (note) {
        const small = document.createElement('small')
        small.lang = document.documentElement.lang
        small.textContent = note
        option.append(' ', small)
      }
      option.setAttribute('role', 'option')
      option.setAttribute('aria-selected', 'false')
      return option
    })
    this.list.replaceChildren(...options)
    this.choose(this.source.first?.(suggestions) ?? -1)
    this.list.hidden = options.length === 0
    this.source.settle?.(this.list)
    if (this.input.hasAttribute('aria-expanded'))
      this.input.setAttribute('aria-expanded', String(!this.list.hidden))
  }

  close() {
    this.asked += 1
    this.show([])
  }

  /** @param {number} index -1: the text itself */
  choose(index) {
    this.list.children[this.chosen]?.setAttribute('aria-selected', 'false')
    this.chosen = index
    const option = this.list.children[index]
    option?.setAttribute('aria-selected', 'true')
    if (option === undefined) this.input.removeAttribute('aria-activedescendant')
    else this.input.setAttribute('aria-activedescendant', option.id)
  }

  /** @param {number} index */
  take(index) {
    const suggestion = this.suggestions[index]
    this.close()
    if (suggestion !== undefined) this.source.choose(suggestion)
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    // Enter that ends a composition (Korean, Japanese, Chinese) is the input method's.
    if (event.isComposing) return
    const { length } = this.suggestions
    // Where one is always chosen, the arrows don't leave the list.
    const [last, none] = [length - 1, this.source.takesTab ? 0 : -1]
    const isTaking = event.key === 'Enter' || (event.key === 'Tab' && this.source.takesTab && !event.shiftKey)
    if (event.key === 'Escape' && length > 0) this.close()
    else if (event.key === 'ArrowDown' && length > 0)
      this.choose(this.chosen >= last ? none : this.chosen + 1)
    else if (event.key === 'ArrowUp' && length > 0) this.choose(this.chosen <= none ? last : this.chosen - 1)
    else if (isTaking && this.chosen >= 0 && !(event.ctrlKey || event.metaKey)) this.take(this.chosen)
    else return
    event.preventDefault()
    // Neither does Escape leave the form, nor Enter go on with a list.
    event.stopImmediatePropagation()
  }
}

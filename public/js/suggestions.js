import { later } from './later.js'

/**
 * Questions under the search box while typing: the ARIA combobox pattern with a listbox popup
 * (w3.org/WAI/ARIA/apg/patterns/combobox). Enter without a choice searches as ever.
 * @param {HTMLElement} form
 */
export function suggestQuestions(form) {
  const input = form.querySelector('input[type="search"]')
  if (!(input instanceof HTMLInputElement)) return
  const list = document.createElement('ul')
  list.id = `${input.id}-suggestions`
  list.className = 'suggestions'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', form.dataset.suggestionsLabel ?? '')
  form.append(list)
  input.setAttribute('role', 'combobox')
  input.setAttribute('aria-autocomplete', 'list')
  input.setAttribute('aria-controls', list.id)
  input.setAttribute('aria-expanded', 'false')

  const box = new SuggestionBox(input, list)
  const ask = later(() => box.ask(), 180)
  input.addEventListener('input', ask)
  input.addEventListener('keydown', (event) => box.onKey(event))
  input.addEventListener('blur', () => box.close())
  // Before blur, which would close the list under the pointer.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', (event) => {
    const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null
    if (option instanceof HTMLElement) location.assign(option.dataset.path ?? '/')
  })
}

class SuggestionBox {
  /** @type {HTMLElement[]} */
  options = []
  chosen = -1
  asked = 0

  /**
   * @param {HTMLInputElement} input
   * @param {HTMLElement} list
   */
  constructor(input, list) {
    this.input = input
    this.list = list
  }

  async ask() {
    const asked = ++this.asked
    const text = this.input.value.trim()
    if (text.length < 2) return this.close()
    try {
      const answer = await fetch(`/search/suggestions?q=${encodeURIComponent(text)}`)
      const { suggestions } = answer.ok ? await answer.json() : { suggestions: [] }
      if (asked === this.asked && document.activeElement === this.input) this.show(suggestions)
    } catch {
      this.close()
    }
  }

  /** @param {{ text: string, path: string }[]} suggestions */
  show(suggestions) {
    this.options = suggestions.map(({ text, path }, index) => {
      const option = document.createElement('li')
      option.id = `${this.list.id}-${index}`
      option.dataset.path = path
      option.textContent = text
      option.setAttribute('role', 'option')
      option.setAttribute('aria-selected', 'false')
      return option
    })
    this.list.replaceChildren(...this.options)
    this.choose(-1)
    this.list.hidden = this.options.length === 0
    this.input.setAttribute('aria-expanded', String(!this.list.hidden))
  }

  close() {
    this.asked += 1
    this.show([])
  }

  /** @param {number} index -1: the text itself */
  choose(index) {
    this.options[this.chosen]?.setAttribute('aria-selected', 'false')
    this.chosen = index
    const option = this.options[index]
    option?.setAttribute('aria-selected', 'true')
    if (option === undefined) this.input.removeAttribute('aria-activedescendant')
    else this.input.setAttribute('aria-activedescendant', option.id)
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { length } = this.options
    if (event.key === 'Escape' && length > 0) this.close()
    else if (event.key === 'ArrowDown' && length > 0)
      this.choose(this.chosen + 1 >= length ? -1 : this.chosen + 1)
    else if (event.key === 'ArrowUp' && length > 0)
      this.choose(this.chosen < 0 ? length - 1 : this.chosen - 1)
    else if (event.key === 'Enter' && this.chosen >= 0)
      location.assign(this.options[this.chosen]?.dataset.path ?? '/')
    else return
    event.preventDefault()
  }
}

import { later } from './later.js'

/**
 * Shows questions like the one being asked under its title, as it is typed. The page has the empty box and, in a
 * template, one row of it with its "this answers mine" form.
 * @param {HTMLElement} form
 */
export function suggestSimilar(form) {
  const title = form.querySelector('input[name="title"]')
  const box = form.parentElement?.querySelector('.similar-box')
  const template = box?.querySelector('template')
  if (
    !(title instanceof HTMLInputElement) ||
    !(box instanceof HTMLElement) ||
    !(template instanceof HTMLTemplateElement)
  )
    return
  title.closest('.field')?.after(box)
  const list = document.createElement('ul')
  list.className = 'lines'
  box.append(list)
  let asked = 0
  const ask = later(async () => {
    const mine = ++asked
    const parameters = new URLSearchParams({ title: title.value, course: form.dataset.course ?? '' })
    const similar = await fetchSimilar(parameters)
    if (mine !== asked) return
    list.replaceChildren(...similar.map((question) => rowOf(question, template)))
    box.hidden = similar.length === 0
  }, 350)
  title.addEventListener('input', ask)
  const instead = document.getElementById('follow-instead')
  instead?.addEventListener('submit', () => sayTitle(form, /** @type {HTMLFormElement} */ (instead)))
  // One that came by the address, or with a draft.
  if (title.value !== '') ask()
}

/**
 * Others may find a question by the words of who pressed "this answers mine"; but not by those of a private or an anonymous question.
 * @param {HTMLElement} form
 * @param {HTMLFormElement} instead
 */
function sayTitle(form, instead) {
  const fields = new FormData(/** @type {HTMLFormElement} */ (form))
  const isOpen = fields.get('audience') !== 'staff' && fields.get('anonymous') !== '1'
  const title = instead.elements.namedItem('title')
  if (title instanceof HTMLInputElement) title.value = isOpen ? String(fields.get('title') ?? '') : ''
}

/**
 * @typedef {{ title: string, path: string, isResolved: boolean, answer: string | null, followPath: string | null }} Similar
 * @param {URLSearchParams} parameters
 * @returns {Promise<Similar[]>}
 */
async function fetchSimilar(parameters) {
  try {
    const answer = await fetch(`/questions/similar?${parameters}`)
    return answer.ok ? (await answer.json()).similar : []
  } catch {
    return []
  }
}

/**
 * @param {Similar} question
 * @param {HTMLTemplateElement} template
 */
function rowOf(question, template) {
  const row = /** @type {DocumentFragment} */ (template.content.cloneNode(true))
  const link = row.querySelector('a')
  const answer = row.querySelector('.soft')
  const button = row.querySelector('button')
  link?.setAttribute('href', question.path)
  if (link !== null) link.textContent = question.title
  if (answer !== null) answer.textContent = question.answer ?? ''
  row.querySelector(question.isResolved ? '.status:not(.resolved)' : '.status.resolved')?.remove()
  if (question.followPath === null) button?.remove()
  else {
    button?.setAttribute('formaction', question.followPath)
    // Nobody has answered it yet.
    if (button !== null && question.answer === null) button.textContent = button.dataset.same ?? ''
    row.querySelector('.own')?.remove()
  }
  return row
}

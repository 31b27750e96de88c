import { later } from './later.js'

/**
 * Shows questions like the one being asked, as its title is typed: their number under the title, as a link, and they below the
 * text, where they put no stops of the Tab key between two fields. The page has both, empty, and, in a template, one row with its
 * "this answers mine" form.
 * @param {HTMLElement} form
 */
export function suggestSimilar(form) {
  const title = form.querySelector('input[name="title"]')
  const box = form.parentElement?.querySelector('.similar-box')
  const status = form.querySelector('[data-similar-status]')
  const template = box?.querySelector('template')
  if (
    !(title instanceof HTMLInputElement) ||
    !(box instanceof HTMLElement) ||
    !(status instanceof HTMLElement) ||
    !(template instanceof HTMLTemplateElement)
  )
    return
  title.closest('.field')?.after(status)
  form.querySelector('textarea[name="body"]')?.closest('.field')?.after(box)
  const list = document.createElement('ul')
  list.className = 'lines'
  box.append(list)
  let asked = 0
  const ask = later(async () => {
    const mine = ++asked
    const parameters = new URLSearchParams({ title: title.value, course: form.dataset.course ?? '' })
    const { similar, told } = await fetchSimilar(parameters)
    if (mine !== asked) return
    list.replaceChildren(...similar.map((question) => rowOf(question, template)))
    box.hidden = similar.length === 0
    tellCount(status, told)
  }, 350)
  title.addEventListener('input', ask)
  document
    .getElementById('follow-instead')
    ?.addEventListener('formdata', ({ formData }) => formData.set('title', openTitle(form)))
  // One that came by the address, or with a draft.
  if (title.value !== '') ask()
}

/**
 * Others may find a question by the words of who pressed "this answers mine"; but not by those of a private or an anonymous question.
 * @param {HTMLElement} form
 */
function openTitle(form) {
  const fields = new FormData(/** @type {HTMLFormElement} */ (form))
  const isOpen = fields.get('audience') !== 'staff' && fields.get('anonymous') !== '1'
  return isOpen ? String(fields.get('title') ?? '') : ''
}

/**
 * Says how many there are, unless that was said before.
 * @param {HTMLElement} status a live region
 * @param {string} text
 */
function tellCount(status, text) {
  if (status.textContent === text) return
  const link = document.createElement('a')
  link.href = '#similar'
  link.textContent = text
  status.replaceChildren(...(text === '' ? [] : [link]))
}

/**
 * @typedef {{ title: string, path: string, lang: string, answerLang: string | null, isResolved: boolean, answer: string | null, followPath: string | null }} Similar
 * @param {URLSearchParams} parameters
 * @returns {Promise<{ similar: Similar[], told: string }>} told: how many there are, in words
 */
async function fetchSimilar(parameters) {
  try {
    const answer = await fetch(`/questions/similar?${parameters}`)
    if (answer.ok) return await answer.json()
  } catch {
    // Nothing answers: there are none to show.
  }
  return { similar: [], told: '' }
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
  link?.setAttribute('lang', question.lang)
  answer?.setAttribute('lang', question.answerLang ?? '')
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

// Says which question somebody opened from the results of a search, so that the next one who searches alike finds it sooner.

const form = document.querySelector('form[data-openings]')

if (form instanceof HTMLFormElement)
  for (const event of ['click', 'auxclick'])
    document.addEventListener(event, ({ target }) => {
      const link = target instanceof Element ? target.closest('.result a') : null
      const id = /^\/questions\/(\d+)\//.exec(link?.getAttribute('href') ?? '')?.[1]
      const result = link?.closest('.result')
      const sign = result instanceof HTMLElement ? result.dataset.sign : undefined
      if (id !== undefined && sign !== undefined) say(form, id, sign)
    })

/**
 * @param {HTMLFormElement} form
 * @param {string} id of the question
 * @param {string} sign that the page showed it
 */
function say(form, id, sign) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.append(name, String(value))
  body.append('sign', sign)
  // The page goes meanwhile.
  const sent = { method: 'POST', body, keepalive: true, redirect: /** @type {const} */ ('manual') }
  void fetch(`/questions/${id}/opening`, sent).catch(() => {})
}

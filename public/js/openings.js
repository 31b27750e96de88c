// Says which question somebody opened from the results of a search, so that the next one who searches alike finds it sooner.

const form = document.querySelector('form[data-openings]')

if (form instanceof HTMLFormElement)
  for (const event of ['click', 'auxclick'])
    document.addEventListener(event, ({ target }) => {
      const link = target instanceof Element ? target.closest('.result a') : null
      const id = /^\/questions\/(\d+)\//.exec(link?.getAttribute('href') ?? '')?.[1]
      if (id !== undefined) say(form, id)
    })

/**
 * @param {HTMLFormElement} form
 * @param {string} id of the question
 */
function say(form, id) {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form)) body.append(name, String(value))
  // The page goes meanwhile.
  const sent = { method: 'POST', body, keepalive: true, redirect: /** @type {const} */ ('manual') }
  void fetch(`/questions/${id}/opening`, sent).catch(() => {})
}

import { isPost } from './send-once.js'
import { send, stayOffline } from './sending.js'

/** A form whose answer is a page of its own, being sent the plain way. @type {WeakSet<EventTarget>} */
const plain = new WeakSet()

/**
 * Sends the posts that lead to another page by script, so that the page stays when nothing answers. Where the server has something
 * else to say, the form is sent the plain way and its page shows that.
 * @param {Document} page
 */
export function sendAway(page) {
  page.addEventListener('submit', (event) => {
    const { target, submitter } = event
    if (event.defaultPrevented || !isPost(target, submitter) || plain.has(target)) return
    event.preventDefault()
    void leave(target, submitter)
  })
}

/**
 * @param {HTMLFormElement} form
 * @param {HTMLElement | null} submitter
 */
async function leave(form, submitter) {
  const answer = await send(form, submitter, { accept: 'text/html', prefer: 'return=minimal' })
  if (answer === null) return stayOffline(form, submitter)
  const place = answer.response.headers.get('location')
  if (answer.response.status === 204 && place !== null) return goTo(new URL(place, location.href))
  form.removeAttribute('data-sent')
  plain.add(form)
  form.requestSubmit(submitter)
  plain.delete(form)
}

/** @param {URL} place */
function goTo(place) {
  const isHere = place.pathname + place.search === location.pathname + location.search
  location.assign(place)
  // A fragment alone would load nothing.
  if (isHere) location.reload()
}

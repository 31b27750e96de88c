// The form that switches pushes on: the browser subscribes, and its answer is sent as any other form. Where the browser has no
// pushes, the form stays hidden.

const form = document.querySelector('form[data-push]')
if (form instanceof HTMLFormElement && 'serviceWorker' in navigator && 'PushManager' in window) improve(form)

/** @param {HTMLFormElement} form data-push: the forum's key; data-denied, data-failed: what is said when it did not work */
function improve(form) {
  const button = form.querySelector('button')
  const problem = form.querySelector('[role="alert"]')
  const endpoint = form.elements.namedItem('endpoint')
  if (!(button && problem instanceof HTMLElement && endpoint instanceof HTMLInputElement)) return
  const say = (/** @type {string | undefined} */ text) => {
    problem.textContent = text ?? ''
    problem.hidden = false
  }
  form.hidden = false
  for (const note of document.querySelectorAll('[data-without-push]'))
    if (note instanceof HTMLElement) note.hidden = true
  // Back from another page, an old answer is of no use.
  window.addEventListener('pageshow', () => {
    endpoint.value = ''
  })
  form.addEventListener('submit', async (event) => {
    if (endpoint.value !== '') return
    event.preventDefault()
    // Not sent yet, whatever send-once.js would think.
    event.stopPropagation()
    problem.hidden = true
    button.disabled = true
    try {
      if ((await Notification.requestPermission()) !== 'granted') return say(form.dataset.denied)
      fill(form, await subscribe(form.dataset.push ?? ''))
      form.requestSubmit()
    } catch {
      say(form.dataset.failed)
    } finally {
      button.disabled = false
    }
  })
}

/** A subscription of its own each time: one that was made with another key, or for another account, is of no use. @param {string} key */
async function subscribe(key) {
  await navigator.serviceWorker.register('/sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
}

/**
 * @param {HTMLFormElement} form
 * @param {PushSubscription} subscription
 */
function fill(form, subscription) {
  const { endpoint, keys } = subscription.toJSON()
  for (const [name, value] of Object.entries({ endpoint, ...keys })) {
    const field = form.elements.namedItem(name)
    if (field instanceof HTMLInputElement) field.value = value ?? ''
  }
}

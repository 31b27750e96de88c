import { later } from './later.js'

/** How long typing pauses before it is saved on the server, in milliseconds. */
const PAUSE_MS = 1500
/** How long a form waits for a save that is under way before it is sent, in milliseconds. */
const PATIENCE_MS = 10_000

/**
 * Saves one after the other, each after a pause in typing: each goes on from the version that the one before it left.
 * None begins after the form was sent, and the form waits for one that is under way: a save that came after the post would
 * bring back as a draft what is posted.
 * @param {() => Promise<void>} save
 */
export function savesOf(save) {
  let isSent = false
  let hasWaited = false
  let isHeld = false
  let under = 0
  /** @type {Promise<void>} */
  let last = Promise.resolve()
  const soon = later(() => {
    if (isSent) return
    under += 1
    last = last.then(save).finally(() => {
      under -= 1
    })
  }, PAUSE_MS)
  return {
    /** Typing goes on. */
    soon() {
      isSent = false
      hasWaited = false
      soon()
    },
    /**
     * The form is being sent: holds it back until what is under way has come to an end.
     * @param {SubmitEvent} event before anybody else hears of it
     */
    end(event) {
      isSent = true
      if (isHeld) {
        // Pressed again while it waits.
        event.preventDefault()
        event.stopImmediatePropagation()
        return
      }
      if (under === 0 || hasWaited || !(event.target instanceof HTMLFormElement)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      isHeld = true
      const { target, submitter } = event
      void Promise.race([last, new Promise((done) => setTimeout(done, PATIENCE_MS))]).then(() => {
        hasWaited = true
        isHeld = false
        target.requestSubmit(submitter)
      })
    },
  }
}

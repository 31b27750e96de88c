import type { BrowserContext, ConsoleMessage } from 'playwright/test'

/** Hears whatever a reader's browser complains about; CSP violations arrive as console messages. */
export interface Watch {
  readonly complaints: readonly string[]
}

const EXPECTED = [isAnswerOfPage, isSigningOut, isFocusElsewhere, isOfOlderBrowsers]

/** Listens to all pages of a context, now and later. */
export function watch(context: BrowserContext): Watch {
  const complaints: string[] = []
  context.on('console', (message) => {
    if (!EXPECTED.some((isExpected) => isExpected(message)))
      complaints.push(`console ${message.type()}: ${message.text()}`)
  })
  context.on('weberror', (failure) => {
    const error = failure.error()
    if (isSkippedTransition(error)) return
    complaints.push(`error: ${error.stack ?? error.message}`)
  })
  context.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  return { complaints }
}

/** Chromium notes each page that answers 4xx; whether that is right is for the test to say. */
function isAnswerOfPage(message: ConsoleMessage): boolean {
  const isNote = message.text().startsWith('Failed to load resource: the server responded with a status of')
  return isNote && !new URL(message.location().url).pathname.startsWith('/assets/')
}

/** Signing out clears what the browser keeps, and Chromium says what it cleared. */
function isSigningOut(message: ConsoleMessage): boolean {
  return message.type() === 'info' && message.text().startsWith('Clear-Site-Data header')
}

/** A page that opens at a fragment has its focus there, and not on the message of what was done. */
function isFocusElsewhere(message: ConsoleMessage): boolean {
  return message.type() === 'info' && message.text().startsWith('Autofocus processing was blocked')
}

/** A dialog is modal where a browser knows `command`; others open it as a popover. */
function isOfOlderBrowsers(message: ConsoleMessage): boolean {
  return message.text() === 'popovertarget is ignored on elements with commandfor.'
}

/** A machine that is too slow for the animation between two pages leaves it out. */
function isSkippedTransition({ name, message }: Error): boolean {
  return name === 'AbortError' && message === 'Transition was skipped'
}

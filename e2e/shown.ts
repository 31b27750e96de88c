import type { Page } from 'playwright/test'
import type { Forum } from './forum.ts'
import type { World } from './world.ts'

export type Reader = 'visitor' | 'asker' | 'instructor' | 'stranger' | 'admin'

/** A page, who reads it, and how one gets there. */
export interface Shown {
  readonly name: string
  readonly reader: Reader
  readonly status: number
  readonly path: (world: World, forum: Forum) => string | Promise<string>
  /** What to do there to see what is meant; the answer to it is then the page. */
  readonly act?: (page: Page) => Promise<void>
}

export function page(
  name: string,
  path: Shown['path'],
  more: Partial<Pick<Shown, 'status' | 'act'>> = {},
): Shown {
  return { name, path, reader: 'visitor', status: 200, ...more }
}

/** The page that refuses a form of a page, sent with whatever is in it. */
export function refused(name: string, path: Shown['path'], action: string): Shown {
  return page(name, path, { status: 422, act: (at) => sendAnyway(at, action) })
}

/** The same pages, as somebody else reads them than a visitor. */
export function by(reader: Reader, ...pages: readonly Shown[]): Shown[] {
  return pages.map((shown) => ({ ...shown, reader }))
}

/** Types a list into a field and sends its form. */
export function sendList(at: Page, field: string, list: string): Promise<void> {
  return at.locator(field).evaluate((area: HTMLTextAreaElement, text) => {
    area.value = text
    area.form?.requestSubmit()
  }, list)
}

/** Sends a form with whatever is in it, as a browser without checks and without scripts does: the answer is a page. */
export function sendAnyway(at: Page, action: string): Promise<void> {
  return at.locator(`main form[action$="${action}"]`).evaluate((form: HTMLFormElement) => {
    form.noValidate = true
    form.removeAttribute('data-in-place')
    form.requestSubmit()
  })
}

/** Presses what is named alone, and fills fields, in this order. */
export const steps =
  (...all: readonly (string | readonly [field: string, text: string])[]) =>
  async (at: Page): Promise<void> => {
    for (const step of all)
      if (typeof step === 'string') await at.locator(step).click()
      else await at.locator(step[0]).fill(step[1])
  }

import type { Page } from 'playwright/test'
import { LIMITS } from '../src/limits/table.ts'
import { page, type Shown, sendAnyway } from './shown.ts'

/** Pages of what the forum refuses, beside those that e2e/pages.ts has among their own. */
export const REFUSED_PAGES: readonly Shown[] = [
  page('a question that is too large', ({ course }) => `/questions/new?course=${course.slug}`, {
    reader: 'stranger',
    status: 413,
    act: sendTooMuch,
  }),
  page('a question edited meanwhile', ({ question }) => `/questions/${question.id}/edit`, {
    reader: 'asker',
    status: 409,
    act: sendOutdated,
  }),
  // Of somebody who searches nowhere else: the limit is theirs.
  page('searching too often', () => '/search?q=put', { reader: 'admin', status: 429, act: searchTooOften }),
]

async function sendTooMuch(at: Page): Promise<void> {
  await at.locator('textarea[name="body"]').evaluate((field: HTMLTextAreaElement) => {
    field.value = 'x'.repeat(600_000)
  })
  await sendAnyway(at, '/questions')
}

async function sendOutdated(at: Page): Promise<void> {
  const form = at.locator('form:has(textarea[name="body"])')
  await form.locator('textarea[name="body"]').fill(`My own words. ${'x'.repeat(200)}`)
  await form.locator('input[name="version"]').evaluate((field: HTMLInputElement) => {
    field.value = '0'
  })
  await sendAnyway(at, '/edit')
}

/** Of the FAQ's first entry. */
export async function sendOutdatedEntry(at: Page): Promise<void> {
  const editing = await at.locator('article .menu a[href^="?edit="]').first().getAttribute('href')
  await at.goto(new URL(editing ?? '', at.url()).href)
  const answered = at.waitForResponse((response) => response.request().method() === 'POST')
  await at
    .locator('article details:not(.menu)')
    .first()
    .evaluate((details: HTMLDetailsElement) => {
      details.open = true
      const form = details.querySelector('form')
      for (const [name, value] of [
        ['body', `My own words. ${'x'.repeat(200)}`],
        ['version', '0'],
      ] as const) {
        const field = form?.elements.namedItem(name) as HTMLInputElement | HTMLTextAreaElement
        field.value = value
      }
      form?.requestSubmit()
    })
  await answered
}

async function searchTooOften(at: Page): Promise<void> {
  await at.evaluate(async (times) => {
    for (let sent = 0; sent < times; sent += 20) {
      await Promise.all(Array.from({ length: 20 }, () => fetch('/search?q=put')))
    }
  }, LIMITS.search.account.max)
  await at.reload()
}

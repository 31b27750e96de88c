import type { Locator, Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aQuestion, type MadeQuestion } from '../src/testing/builders.ts'

const t = translatorOf('en')
const HOUR_MS = 3_600_000

/** Questions that wait, the first for longest, with an assistant and an instructor. */
export async function aDesk(db: Database, more: readonly string[] = []) {
  const course = await aCourse(db, { lectures: ['Verbs'] })
  const lectureId = course.lectureIds[0] ?? 0
  const [staff, colleague] = [await aMember(db, course, 'assistant'), await aMember(db, course, 'instructor')]
  const asker = await aMember(db, course)
  const asks = (title: string, hours: number): Promise<MadeQuestion> => {
    const writtenAt = new Date(Date.now() - hours * HOUR_MS)
    return aQuestion(db, { course, author: asker, title, lectureId, writtenAt })
  }
  const first = await asks('Is PUT idempotent?', 30)
  const second = await asks('What does 405 mean?', 20)
  const others = []
  for (const [index, title] of more.entries()) others.push(await asks(title, 19 - index))
  const path = `/courses/${course.slug}/desk`
  return { path, course, staff, colleague, asker, first, second, questions: [first, second, ...others] }
}

export const open = (page: Page): Locator => page.locator('#open')
export const titleOfOpen = (page: Page): Locator => open(page).getByRole('heading', { level: 2 })
export const queue = (page: Page): Locator => page.locator('.desk-row a.cover')
export const row = (page: Page, { title }: MadeQuestion): Locator =>
  page.locator('.desk-row', { hasText: title })
export const answerBox = (page: Page): Locator => page.getByLabel(t('answers.form.label'))
export const button = (page: Page, key: string): Locator =>
  open(page).getByRole('button', { name: t(key), exact: true })
export const menu = (page: Page, key: string): Locator => open(page).locator('summary', { hasText: t(key) })

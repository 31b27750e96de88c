import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { refreshStatistics } from '../src/forum/search/statistics.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import {
  aCourse,
  anAnswer,
  aPerson,
  aQuestion,
  type MadePerson,
  type MadeQuestion,
} from '../src/testing/builders.ts'
import { rowsOf, setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { barriers, lowContrast, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')
const TITLE = 'Why says my Location header localhost behind nginx?'
const BODY = 'The header points to a machine nobody can reach.'

test('a question like the one being typed shows, and following it posts nothing', async ({ as, db }) => {
  const { course, known, asker } = await aKnownQuestion(db)
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  const box = page.locator('.similar-box')
  await expect(box).toBeHidden()
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill(BODY)
  await page.getByLabel(t('questions.title.label')).pressSequentially(TITLE)

  await expect(page.locator('.field:has(#title) + [aria-live]')).toHaveText(t('similar.count', { count: 1 }))
  await expect(page.locator('.field:has(#body) + .similar-box')).toBeVisible()
  const row = box.getByRole('listitem')
  await expect(row).toHaveCount(1)
  await expectKnown(row, known)
  await expectFit(page)
  await expect(page.locator('[data-draft-status]').first()).toHaveText(t('drafts.saved'))

  await row.getByRole('button', { name: t('similar.mine') }).click()
  await expectFollowed(page, db, known, asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  await expect(page.getByLabel(t('questions.title.label'))).toHaveValue('')
})

test('a title from the address shows them, too; one without an answer is the same', async ({ as, db }) => {
  const { course, known, asker } = await aKnownQuestion(db)
  await setRows(db, 'answers', { question_id: known.id }, { deleted_at: new Date() })
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}&title=${encodeURIComponent(TITLE)}`)
  const row = page.locator('.similar-box').getByRole('listitem')
  await expect(row).toHaveCount(1)
  await row.getByRole('button', { name: t('similar.same') }).click()
  await expect(page.getByRole('status')).toContainText(t('follows.flash.instead'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(known.title)
})

test('Enter in a line posts nothing, Ctrl+Enter does, neither in a composed word', async ({ as, db }) => {
  const { course, asker } = await aKnownQuestion(db)
  const page = await as(asker)
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill(BODY)
  const title = page.getByLabel(t('questions.title.label'))
  await title.fill(TITLE)
  await expect(page.locator('.similar-box').getByRole('listitem')).toHaveCount(1)
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  for (const field of [title, page.getByLabel(t('questions.tags.label'))]) await field.press('Enter')
  const devtools = await page.context().newCDPSession(page)
  const composed = { type: 'rawKeyDown', key: 'Enter', windowsVirtualKeyCode: 229, modifiers: 2 } as const
  await devtools.send('Input.dispatchKeyEvent', composed)
  await expect(page).toHaveURL(/\/questions\/new/)
  expect(sent).not.toContain('/questions')
  await title.press('Control+Enter')

  await expect(page.getByRole('status')).toHaveText(t('questions.flash.posted'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(TITLE)
})

test('without scripts the preview shows what was asked, and lets one follow', async ({ as, db }) => {
  const { course, known, asker } = await aKnownQuestion(db)
  const page = await as(asker, { javaScriptEnabled: false })
  await typeQuestion(page, course.slug)
  await page.getByRole('button', { name: t('similar.preview') }).click()
  await expect(page).toHaveURL(/\/questions\/preview$/)

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('similar.previewTitle'))
  await expect(page.locator('article.preview')).toContainText(BODY)
  const row = page.getByRole('region', { name: t('similar.title') }).getByRole('listitem')
  await expect(row).toHaveCount(1)
  await expectKnown(row, known)
  await expect(page.getByLabel(t('questions.title.label'))).toHaveValue(TITLE)
  await expect(page.getByLabel(t('questions.body.label'), { exact: true })).toHaveValue(BODY)
  await expect(page.getByLabel(t('questions.tags.label'))).toHaveValue('nginx, proxy')
  await row.getByRole('button', { name: t('similar.mine') }).click()
  await expectFollowed(page, db, known, asker)
})

test('the preview is accessible in both themes, and never too wide', async ({ as, db }) => {
  const { course, asker } = await aKnownQuestion(db)
  const page = await as(asker)
  await typeQuestion(page, course.slug)
  // As without scripts: with them the text shows in place.
  await page.locator('button[data-preview]').evaluate((button: HTMLButtonElement) => {
    button.type = 'submit'
    button.form?.requestSubmit(button)
  })
  await expect(page).toHaveURL(/\/questions\/preview$/)
  await expectFit(page)
})

/** A course with one question that is answered, one about something else, and somebody about to ask. */
async function aKnownQuestion(db: Database) {
  const course = await aCourse(db)
  const known = await aQuestion(db, {
    course,
    title: 'Location header behind a proxy shows localhost',
    body: 'The proxy is nginx.',
  })
  await anAnswer(db, { question: known, body: 'No idea.', votes: 1 })
  const body = `Set **forward-headers-strategy**. ${'It reads what the proxy says. '.repeat(20)}`
  await anAnswer(db, { question: known, body, isAccepted: true })
  await aQuestion(db, { course, title: 'Paging with cursors', body: 'A cursor is a place.' })
  await refreshStatistics(db)
  return { course, known, asker: await aPerson(db) }
}

async function typeQuestion(page: Page, course: string): Promise<void> {
  await page.goto(`/questions/new?course=${course}`)
  await page.getByLabel(t('questions.title.label')).fill(TITLE)
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill(BODY)
  await page.getByLabel(t('questions.tags.label')).fill('nginx, proxy')
}

/** Its title leads there; its state and the first lines of its accepted answer tell whether that is worth it. */
async function expectKnown(row: ReturnType<Page['locator']>, known: MadeQuestion): Promise<void> {
  const link = row.getByRole('link', { name: known.title })
  await expect(link).toHaveAttribute('href', new RegExp(`^/questions/${known.id}/`))
  await expect(row.locator('.status')).toHaveText(t('status.resolved'))
  await expect(row.locator('p.soft')).toHaveText(/^Set forward-headers-strategy\. It reads .*…$/)
}

async function expectFollowed(page: Page, db: Database, known: MadeQuestion, asker: MadePerson) {
  await expect(page.getByRole('status')).toHaveText(t('follows.flash.instead'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(known.title)
  const follows = await rowsOf(db, 'question_follows', { person_id: asker.id })
  expect(follows).toMatchObject([{ question_id: known.id, instead_of_asking: true }])
  expect(await rowsOf(db, 'questions', { author_id: asker.id })).toEqual([])
}

async function expectFit(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' })
  expect.soft(await barriers(page), 'axe, light').toEqual([])
  await page.emulateMedia({ colorScheme: 'dark' })
  expect.soft(await lowContrast(page), 'contrast, dark').toEqual([])
  await page.setViewportSize(PHONE)
  expect.soft(await tooWide(page), 'wider than a phone').toEqual([])
}

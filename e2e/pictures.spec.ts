import type { Locator, Page, Route } from 'playwright/test'
import { picture } from '../src/forum/pictures/pictures-testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson, aQuestion } from '../src/testing/builders.ts'
import { answering } from './answering.ts'
import { expect, test } from './forum.ts'
import { barriers, expectSound, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')

test('one tap chooses a picture, which is uploaded and described beside the text', async ({ as, db }) => {
  const { page, form, answer: text } = await answering(as, db)
  await text.fill('Look:')
  await choose(page, form, await picture(600, 300))
  const words = form.getByLabel(t('uploads.description', { number: 1 }))
  await expect(words).toBeFocused()
  await expect(form.locator('.thumb img')).toHaveJSProperty('naturalWidth', 600)
  await expect(text).toHaveValue(/^Look:\n\n!\[\]\(\/uploads\/[\w-]+\)\n\n$/)
  const without = form.getByText(t('uploads.without')).filter({ visible: true })
  await expect(without).toHaveCount(1)
  await choose(page, form, await picture(60, 30))
  await expect(form.getByRole('list', { name: t('uploads.list') }).getByRole('listitem')).toHaveCount(2)
  await expect(without).toHaveCount(1)
  expect(await barriers(page)).toEqual([])
  await form.getByRole('button', { name: t('uploads.remove', { number: 2 }) }).click()
  await expect(text).toBeFocused()

  await words.fill('A [red] square')
  await expect(text).toHaveValue(/^Look:\n\n!\[A \\\[red\\\] square\]\(\/uploads\/[\w-]+\)\n\n$/)
  await text.fill((await text.inputValue()).replace('Look:', 'See:').replace(' square', ' field'))
  await expect(words).toHaveValue('A [red] field')
  await expect(without).toHaveCount(0)
  await expect(form.locator('[data-draft-status]')).toHaveText(t('drafts.saved'))
  await page.reload()
  await expect(words).toHaveValue('A [red] field')
  await page.setViewportSize(PHONE)
  expect(await tooWide(page)).toEqual([])
  await form.getByRole('button', { name: t('answers.form.post') }).click()

  const shown = page.locator('.answer .prose img')
  await expect(shown).toHaveAttribute('alt', 'A [red] field')
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(600)
  expect(await tooWide(page)).toEqual([])
})

test('a post waits for a picture that is being uploaded, which needs no description', async ({ as, db }) => {
  const { page, form, answer: text } = await answering(as, db)
  const held = Promise.withResolvers<Route>()
  await page.route('**/uploads', (route) => held.resolve(route), { times: 1 })
  await text.fill('Look:')
  await choose(page, form, await picture())
  const upload = await held.promise
  await text.pressSequentially(' here')
  await form.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(form.getByRole('button', { name: t('forms.posting') })).toBeVisible()
  await expect(page.locator('.answer')).toHaveCount(0)
  await upload.continue()
  await expect(page.locator('.answer .prose p').first()).toHaveText('Look: here')
  await expect(page.locator('.answer .prose img')).toBeVisible()
})

test('a picture that wasn’t uploaded keeps its place, to be tried again or left', async ({ as, db }) => {
  const { page, form, answer: text } = await answering(as, db)
  await text.fill('Before\nAfter')
  await text.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(6, 6))
  await page.route('**/uploads', (route) => route.fulfill({ status: 503 }), { times: 1 })
  await choose(page, form, await picture())
  const row = form.getByRole('list', { name: t('uploads.list') }).getByRole('listitem')
  await expect(row).toContainText('a.png')
  await expect(row).toContainText(t('uploads.failed'))
  await expectSound(page, PHONE)
  await row.getByRole('button', { name: t('forms.again') }).click()
  await expect(text).toHaveValue(/^Before\n\n!\[\]\(\/uploads\/[\w-]+\)\n\n\nAfter$/)

  await choose(page, form, Buffer.from('<svg/>'))
  await expect(row.last()).toContainText(t('uploads.refused.kind'))
  await expect(row.getByRole('button', { name: t('forms.again') })).toBeHidden()
  await row.getByRole('button', { name: t('uploads.cancel', { file: 'a.png' }) }).click()
  await expect(row).toHaveCount(1)
})

test('a capture taller than a phone is folded until its reader wants all of it', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as(await aPerson(db, { language: 'ko' }), { locale: 'ko', javaScriptEnabled: false })
  await page.goto(`/questions/${question.id}`)
  const form = page.locator('.answer-form')
  await form.locator('summary', { hasText: translatorOf('ko')('uploads.add') }).click()
  const buffer = await picture(1080, 6000)
  await form.locator('input[type="file"]').setInputFiles(png(buffer))
  await form.locator('[formaction="/uploads"]').click()
  await page.locator('main button.primary').click()
  await page.setViewportSize(PHONE)

  const fold = page.locator('.answer .prose details')
  await expect(fold.locator('summary')).toHaveText(translatorOf('ko')('posts.wholePicture'))
  const height = async () => (await fold.boundingBox())?.height ?? 0
  const folded = await height()
  expect(folded).toBeGreaterThan(0)
  expect(await tooWide(page)).toEqual([])
  await fold.locator('summary').click()
  expect(await height()).toBeGreaterThan(folded)
  expect(await tooWide(page)).toEqual([])
})

async function choose(page: Page, form: Locator, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await form.getByRole('button', { name: t('uploads.add') }).click()
  await (await chooser).setFiles(png(buffer))
}

function png(buffer: Buffer) {
  return { name: 'a.png', mimeType: 'image/png', buffer }
}

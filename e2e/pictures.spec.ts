import { picture } from '../src/forum/pictures/pictures-testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')

test('a picture is put into an answer, and its readers see it where room was kept for it', async ({
  as,
  forum,
}) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  const form = page.locator('.answer-form')
  await form.getByLabel(t('answers.form.label')).fill('Look:')
  await form.getByText(t('uploads.add')).click()
  const file = { name: 'a.png', mimeType: 'image/png', buffer: await picture(600, 300) }
  await form.getByLabel(t('uploads.file')).setInputFiles(file)
  await form.getByLabel(t('uploads.alt')).fill('A red square')
  await form.getByRole('button', { name: t('uploads.insert') }).click()

  await expect(form.getByLabel(t('answers.form.label'))).toHaveValue(
    /^Look:\s+!\[A red square\]\(\/uploads\//,
  )
  expect(await barriers(page)).toEqual([])
  await page.setViewportSize(PHONE)
  expect(await tooWide(page)).toEqual([])
  await form.getByRole('button', { name: t('answers.form.post') }).click()

  const shown = page.locator('.answer .prose img')
  await expect(shown).toBeVisible()
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(600)
  expect(await tooWide(page)).toEqual([])
})

test('a file that is no picture is refused with a word, and what was typed stays', async ({ as, forum }) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  const form = page.locator('.answer-form')
  await form.getByLabel(t('answers.form.label')).fill('Typed for long')
  await form.getByText(t('uploads.add')).click()
  const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('<svg/>') }
  await form.getByLabel(t('uploads.file')).setInputFiles(file)
  await form.getByRole('button', { name: t('uploads.insert') }).click()
  await expect(page.getByText(t('uploads.refused.kind')).first()).toBeVisible()
  await expect(form.getByLabel(t('answers.form.label'))).toHaveValue('Typed for long')
  expect(await barriers(page)).toEqual([])
})

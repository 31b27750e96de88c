import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { PHONE } from './inspection.ts'

const t = translatorOf('en')

test('the cursor is in the first field of Ask, unless errors or a draft come first', async ({ as, db }) => {
  const course = await aCourse(db)
  const page = await as(await aPerson(db))
  const title = page.getByLabel(t('questions.title.label'))
  await page.goto(`/questions/new?course=${course.slug}`)
  await expect(title).toBeFocused()
  await title.fill('ab')
  await page.getByLabel(t('questions.body.label'), { exact: true }).fill('Too short a title.')
  await expect(page.locator('[data-draft-status]').first()).toHaveText(t('drafts.saved'))
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await expect(page.locator('.error-summary')).toBeFocused()
  await page.goto('/drafts')
  await page.getByRole('link', { name: 'ab', exact: true }).click()
  await expect(title).toHaveValue('ab')
  await expect(title).not.toBeFocused()
})

test('the cursor is in the first field of Sign in, and of search on a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await page.goto('/sign-in')
  await expect(page.getByLabel(t('accounts.email.label'))).toBeFocused()
  await page.keyboard.type('nobody@example.com')
  await page.getByLabel(t('accounts.password.label')).fill('not the password')
  await page.getByLabel(t('accounts.password.label')).press('Enter')
  await expect(page.locator('.error-summary')).toBeFocused()
  await page.goto('/search')
  await expect(page.locator('#search')).toBeFocused()
})

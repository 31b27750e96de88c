import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')
const PASSWORD = 'four words in a row'

test('somebody signs up, signs out and signs in again', async ({ page }) => {
  const email = `mina-${Date.now()}@example.org`
  const main = page.getByRole('main')
  const account = page.locator('header details.menu')
  await page.goto('/tags')
  await account.locator('summary').click()
  await account.getByRole('link', { name: t('layout.signUp') }).click()
  await main.getByLabel(t('signUp.display_name.label')).fill('Mina Park')
  await main.getByLabel(t('accounts.email.label')).fill(email)
  await main.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await main.getByRole('button', { name: t('accounts.signUp.button') }).click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.signedUp'))
  await expect(account).toContainText('Mina Park')

  await account.locator('summary').click()
  await account.getByRole('button', { name: t('layout.signOut') }).click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.signedOut'))
  await expect(account).not.toContainText('Mina Park')

  await page.goto('/sign-in?next=/settings')
  await main.getByLabel(t('accounts.email.label')).fill(email)
  await main.getByLabel(t('accounts.password.label')).fill('five words in a row')
  await main.getByRole('button', { name: t('accounts.signIn.button') }).click()
  await expect(page.getByRole('alert')).toContainText(t('accounts.signIn.wrong'))
  await expect(main.getByLabel(t('accounts.email.label'))).toHaveValue(email)
  await main.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await main.getByRole('button', { name: t('accounts.signIn.button') }).click()
  await expect(page).toHaveURL('/settings')
})

test('dark is dark, whatever the device has, for who chose it', async ({ page, as, db }) => {
  const chooser = await as(await aPerson(db, { theme: 'dark' }), { colorScheme: 'light' })
  await chooser.goto('/')
  await page.goto('/')
  const paper = (at: typeof page) =>
    at.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)

  expect(await paper(chooser)).not.toBe(await paper(page))
})

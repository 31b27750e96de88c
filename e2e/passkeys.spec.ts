import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { changeSiteSettings } from '../src/kernel/rights/site-settings.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { withAuthenticator } from './authenticator.ts'
import { expect, test } from './forum.ts'
import { barriers, expectSound, PHONE } from './inspection.ts'

const t = translatorOf('en')
const PASSWORD = 'four words in a row'

test('someone adds a passkey, signs in by it, also after a password, and removes it', async ({ as, db }) => {
  const person = await aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
  const page = await as(person, { isChanged: true })
  await withAuthenticator(page)
  const main = page.getByRole('main')
  const button = (key: string) => main.getByRole('button', { name: t(key), exact: true })
  const signOut = async () => {
    await page.locator('header details.menu summary').click()
    await page.getByRole('button', { name: t('layout.signOut') }).click()
  }

  await page.goto('/settings')
  await main.getByRole('link', { name: t('accounts.security.title') }).click()
  await main.locator('summary', { hasText: t('passkeys.adding.title') }).click()
  expect(await barriers(page)).toEqual([])
  await main.locator('#current_password_passkey').fill(PASSWORD)
  await button('passkeys.adding.button').click()
  expect(await barriers(page)).toEqual([])
  await main.getByLabel(t('passkey.name.label')).fill('My laptop')
  await button('passkeys.new.button').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('secondFactor.recovery.title'))
  await main.getByRole('link', { name: t('secondFactor.recovery.kept') }).click()
  await expect(main.getByRole('heading', { name: 'My laptop' })).toBeVisible()

  await signOut()
  await page.goto('/sign-in?next=/settings/passkeys')
  await button('passkeys.signIn').click()
  await expect(page).toHaveURL('/settings/security#passkeys')
  await expect(main.getByRole('listitem').filter({ hasText: 'My laptop' })).toContainText(t('passkeys.used'))

  await signOut()
  await page.goto('/sign-in')
  await main.getByLabel(t('accounts.email.label')).fill(person.email)
  await main.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await button('accounts.signIn.button').click()
  await expect(page).toHaveURL('/sign-in/code')
  expect(await barriers(page)).toEqual([])
  await button('passkeys.signIn').click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.signedIn'))

  await page.goto('/settings/security')
  await main.getByRole('link', { name: t('passkeys.change') }).click()
  await button('passkeys.remove.button').click()
  await expect(page.getByRole('status')).toHaveText(t('passkeys.flash.removed'))
  await signOut()
  await page.goto('/sign-in')
  await button('passkeys.signIn').click()
  await expect(main.getByRole('alert').filter({ hasText: t('passkeys.refused') })).toBeVisible()
  await expect(main.getByLabel(t('accounts.password.label'))).toBeVisible()
})

test('who stops their device, or has no passkey on it, is told so and can go on', async ({ page }) => {
  await withAuthenticator(page)
  await page.goto('/sign-in')
  const main = page.getByRole('main')
  await main.getByRole('button', { name: t('passkeys.signIn') }).click()
  await expect(main.getByRole('alert')).toHaveText(t('passkeys.failed'))
  await expect(main.getByRole('button', { name: t('passkeys.signIn') })).toBeEnabled()
})

test('without scripts nothing speaks of passkeys at the sign-in form', async ({ as }) => {
  const page = await as(null, { javaScriptEnabled: false })
  await page.goto('/sign-in')
  await expect(page.getByRole('button', { name: t('accounts.signIn.button') })).toBeVisible()
  await expect(page.getByRole('button', { name: t('passkeys.signIn') })).toBeHidden()
})

test('an instructor is led to set up the second factor that staff must have', async ({ as, db }) => {
  const instructor = await aMember(db, await aCourse(db), 'instructor')
  const page = await as(instructor, { viewport: PHONE })
  await changeSiteSettings(db, { staffNeedSecondFactor: true })
  const owed = page.getByText(t('secondFactor.owed'))
  await expect(async () => {
    await page.goto('/')
    await expect(owed).toBeVisible({ timeout: 1000 })
  }).toPass()
  await expectSound(page)
  await changeSiteSettings(db, { staffNeedSecondFactor: false })
})

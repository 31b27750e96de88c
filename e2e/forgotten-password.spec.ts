import { hashPassword } from '../src/accounts/identity/passwords.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aPerson } from '../src/testing/builders.ts'
import { markupMistakes } from '../src/testing/markup.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')
const PASSWORD = 'a row of seven green bottles'

test('somebody forgets their password; where no mail is sent, the admin passes the link on', async ({
  page,
  as,
  forum,
}) => {
  const main = page.getByRole('main')
  const person = await aPerson(forum.db, { passwordHash: await hashPassword('forgotten long ago') })
  await page.goto('/sign-in')
  await main.getByRole('link', { name: t('accounts.signIn.toForgotten') }).click()
  await main.getByLabel(t('accounts.email.label')).fill(person.email)
  await main.getByRole('button', { name: t('accounts.forgotten.button') }).click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.newPasswordKept'))

  // An admin for this test alone: a forum with one has no set-up page, which others look at.
  const admin = await aPerson(forum.db, { isAdmin: true })
  const desk = await as(admin)
  const answer = await desk.goto('/mail')
  expect(await markupMistakes((await answer?.text()) ?? '')).toEqual([])
  const mail = desk.getByRole('listitem').filter({ hasText: person.email })
  await mail.getByText(t('mail.read'), { exact: true }).click()
  const link = /http\S+\/new-password\?token=[\w-]+/.exec(
    (await mail.locator('pre').textContent()) ?? '',
  )?.[0]
  await forum.db.updateTable('people').set({ is_admin: false }).where('id', '=', admin.id).execute()

  await page.goto(link ?? '')
  await main.getByLabel(t('newPassword.password.label')).fill(PASSWORD)
  await main.getByRole('button', { name: t('accounts.newPassword.button') }).click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.newPassword'))
  await main.getByLabel(t('accounts.email.label')).fill(person.email)
  await main.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await main.getByRole('button', { name: t('accounts.signIn.button') }).click()
  await expect(page.getByRole('status')).toHaveText(t('accounts.flash.signedIn'))
})

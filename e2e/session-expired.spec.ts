import type { Page } from 'playwright/test'
import { hashPassword } from '../src/accounts/identity/passwords.ts'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aPerson, aQuestion, type MadePerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')
const PASSWORD = 'four words in a row'

test('a question typed while the session ended is there after signing in', async ({ as, db }) => {
  const course = await aCourse(db, { lectures: ['Verbs', 'Nouns'] })
  const person = await withPassword(db)
  const page = await as(person)
  await page.goto(`/questions/new?course=${course.slug}`)
  await page.getByLabel(t('questions.title.label')).fill('Why was I signed out?')
  await page.getByLabel(t('questions.lecture.label'), { exact: true }).selectOption({ label: '2 · Nouns' })
  await page
    .getByLabel(t('questions.body.label'), { exact: true })
    .fill('I thought for\n\n    very long\n\nabout this.')
  await page.getByLabel(t('questions.tags.label')).fill('patience')

  await endSessions(db, person)
  await page.getByRole('button', { name: t('questions.new.post') }).click()
  await signInAgain(page, person)
  await expect(page.locator('input[name="tags"]')).toHaveValue('patience')
  await page.getByRole('button', { name: t('questions.new.post') }).click()

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Why was I signed out?')
  await expect(page.locator('.post pre')).toHaveText('very long\n')
  await expect(page.locator('.post.question')).toContainText('Nouns')
})

test('an answer typed while the session ended is there after signing in', async ({ as, db }) => {
  const question = await aQuestion(db)
  const person = await withPassword(db)
  const page = await as(person)
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label')).fill('Because nobody stays for ever.')

  await endSessions(db, person)
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  await signInAgain(page, person)
  await page.getByRole('button', { name: t('answers.form.post') }).click()

  await expect(page.locator('.answer .prose')).toHaveText('Because nobody stays for ever.')
})

async function withPassword(db: Database): Promise<MadePerson> {
  return aPerson(db, { passwordHash: await hashPassword(PASSWORD) })
}

async function endSessions(db: Database, person: MadePerson): Promise<void> {
  await db.deleteFrom('sessions').where('person_id', '=', person.id).execute()
}

async function signInAgain(page: Page, person: MadePerson): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('accounts.signIn.title'))
  await page.getByLabel(t('accounts.email.label')).fill(person.email)
  await page.getByLabel(t('accounts.password.label')).fill(PASSWORD)
  await page
    .getByRole('main')
    .getByRole('button', { name: t('accounts.signIn.button') })
    .click()
}

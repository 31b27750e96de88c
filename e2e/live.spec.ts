import { translatorOf } from '../src/messages/catalogue.ts'
import { anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')

test('a page that is open tells of a new answer, and shows it without losing what is typed', async ({
  as,
  forum,
}) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label')).fill('Half an answer of mine')
  await page.waitForTimeout(500)
  await anAnswer(forum.db, { question, body: 'An answer that came meanwhile.' })
  const note = page.getByRole('status').getByRole('link', { name: t('live.one', { count: 1 }) })
  await expect(note).toBeVisible()
  await note.click()
  await expect(page.getByText('An answer that came meanwhile.')).toBeVisible()
  await expect(note).toBeHidden()
  await expect(page.getByLabel(t('answers.form.label'))).toHaveValue('Half an answer of mine')
})

import { translatorOf } from '../src/messages/catalogue.ts'
import { aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers } from './inspection.ts'

const t = translatorOf('en')

test('askers find their own answer folded; the key, a fragment and a draft open it', async ({ as, db }) => {
  const question = await aQuestion(db)
  const page = await as({ id: question.authorId })
  await page.goto(`/questions/${question.id}`)
  const folded = page.getByText(t('answers.form.own'))
  const answer = page.getByLabel(t('answers.form.label'), { exact: true })
  await expect(folded).toBeVisible()
  await expect(answer).toBeHidden()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('a')
  await expect(answer).toBeFocused()
  await folded.click()
  await expect(answer).toBeHidden()
  await folded.click()
  await expect(answer).toBeFocused()
  await folded.click()
  await page.evaluate(() => location.assign('#answer'))
  await expect(answer).toBeVisible()

  await answer.fill('I found it myself.')
  await expect(page.locator('.answer-form')).toContainText(t('drafts.saved'))
  await page.goto('/courses')
  await page.goto(`/questions/${question.id}`)
  await folded.scrollIntoViewIfNeeded()
  await expect(answer).toHaveValue('I found it myself.')
  await expect(answer).toBeVisible()
  await page.getByRole('button', { name: t('answers.form.post') }).click()
  await expect(page.locator('.answer .prose')).toHaveText('I found it myself.')
  await expect(answer).toBeHidden()
})

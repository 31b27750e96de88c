import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aQuestion } from '../src/testing/builders.ts'
import { type As, expect } from './forum.ts'

const t = translatorOf('en')

/** The page of a question that a learner is about to answer, with the cursor in the text and all tools there. */
export async function answering(as: As, db: Database) {
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  const page = await as(await aMember(db, course))
  await page.goto(`/questions/${question.id}`)
  const form = page.locator('.answer-form')
  const answer = form.getByLabel(t('answers.form.label'))
  await answer.scrollIntoViewIfNeeded()
  await expect(form.getByRole('toolbar')).toBeVisible()
  await answer.focus()
  return { page, question, course, form, answer }
}

import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, MOVING, test } from './forum.ts'

test.use(MOVING)

const t = translatorOf('en')

test('a page that is open tells of a new answer, and shows it without losing what is typed', async ({
  as,
  forum,
}) => {
  const question = await aQuestion(forum.db)
  const page = await as(await aPerson(forum.db))
  const stream = page.waitForResponse((response) => response.url().includes('/live/'))
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label')).fill('Half an answer of mine')
  await stream
  await anAnswer(forum.db, { question, body: 'An answer that came meanwhile.' })
  const note = page.getByRole('status').getByRole('link', { name: t('live.one', { count: 1 }) })
  await expect(note).toBeVisible()
  await note.click()
  await expect(page.getByText('An answer that came meanwhile.')).toBeVisible()
  await expect(note).toBeHidden()
  await expect(page.getByLabel(t('answers.form.label'))).toHaveValue('Half an answer of mine')
})

test('a list that is open says how many questions are new, and shows them', async ({ as, forum }) => {
  const course = await aCourse(forum.db)
  await aQuestion(forum.db, { course })
  const page = await as(null)
  const isListening = page.waitForResponse(/\/live\/questions\?/)
  await page.goto(`/courses/${course.slug}`)
  await isListening
  const note = page.getByRole('status').getByRole('link')
  await aQuestion(forum.db, { course, title: 'A question that came meanwhile' })
  await expect(note).toHaveText(t('live.questions.one', { count: 1 }))
  await aQuestion(forum.db, { course })
  await expect(note).toHaveText(t('live.questions.other', { count: 2 }))
  await note.click()
  await expect(page.getByRole('link', { name: 'A question that came meanwhile' })).toBeVisible()
  await expect(note).toBeHidden()
})

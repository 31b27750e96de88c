import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, MOVING, test } from './forum.ts'

test.use(MOVING)

const t = translatorOf('en')

test('the first answer lands under its heading, and what is typed stays', async ({ as, db }) => {
  const question = await aQuestion(db, { body: 'Long enough to scroll.\n\n'.repeat(60) })
  const [page, writer] = [await as(await aPerson(db)), await as(await aPerson(db))]
  const streams = [page, writer].map((one) => one.waitForResponse(/\/live\//))
  for (const one of [page, writer]) await one.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label'), { exact: true }).fill('Half an answer of mine')
  await page.evaluate(() => scrollTo(0, 0))
  await Promise.all(streams)
  await writer.getByLabel(t('answers.form.label'), { exact: true }).fill('The first one.')
  await writer.getByRole('button', { name: t('answers.form.post') }).click()
  await expectBelowHeading(writer)

  const pill = page.locator('.live-note').getByRole('link', { name: t('live.one', { count: 1 }) })
  await expect(pill).toBeInViewport()
  await expect(page).toHaveTitle(`(1) ${question.title} · Handup`)
  await expect(writer.locator('.live-note'), 'nobody is told of their own').toBeHidden()
  await page.evaluate(() => scrollTo(0, 600))
  await expect(pill).toBeInViewport()
  await pill.click()
  await expectBelowHeading(page)
  await expect(page.getByLabel(t('answers.form.label'), { exact: true })).toHaveValue(
    'Half an answer of mine',
  )
  await expect(page).toHaveTitle(`${question.title} · Handup`)
})

test('an open page shows that a question is resolved, and leaves one’s text alone', async ({ as, db }) => {
  const course = await aCourse(db)
  const asker = await aMember(db, course)
  const question = await aQuestion(db, { course, author: asker })
  const answer = await anAnswer(db, { question })
  const [page, askers] = [await as(await aPerson(db)), await as(asker)]
  const stream = page.waitForResponse((response) => response.url().includes('/live/'))
  await page.goto(`/questions/${question.id}`)
  await stream
  await page.locator('.answer summary', { hasText: t('replies.open') }).click()
  const box = page.locator('.answer').getByRole('textbox')
  await box.fill('Half a reply')
  await askers.goto(`/questions/${question.id}`)
  await askers.getByRole('button', { name: t('answers.accept') }).click()
  await expect(page.locator('.post.question')).toContainText(t('status.resolved'))
  await expect(page.locator(`#answer-${answer.id}.accepted`)).toContainText(t('answers.accepted'))
  await expect(box).toHaveValue('Half a reply')
  await expect(box).toBeFocused()
  await askers.getByRole('button', { name: t('answers.unaccept') }).click()
  await expect(page.locator('.accepted-note')).toHaveCount(0)
  // The answer is gone for all others; who writes under it keeps the text.
  await db.updateTable('answers').set({ deleted_at: new Date() }).where('id', '=', answer.id).execute()
  await anAnswer(db, { question })
  await anAnswer(db, { question, body: 'One that came after.' })
  await page.locator('.live-note').getByRole('link').click()
  await expect(page.getByText('One that came after.')).toBeVisible()
  await expect(box).toHaveValue('Half a reply')
})

test('a list that is open says how many questions are new, and shows them', async ({ as, db }) => {
  const course = await aCourse(db)
  await aQuestion(db, { course })
  const page = await as(null)
  const isListening = page.waitForResponse(/\/live\/questions\?/)
  await page.goto(`/courses/${course.slug}`)
  await isListening
  const note = page.locator('.live-note').getByRole('link')
  await aQuestion(db, { course, title: 'A question that came meanwhile' })
  await expect(note).toHaveText(t('live.questions.one', { count: 1 }))
  await aQuestion(db, { course })
  await expect(note).toHaveText(t('live.questions.other', { count: 2 }))
  await note.click()
  await expect(page.getByRole('link', { name: 'A question that came meanwhile' })).toBeVisible()
  await expect(note).toBeHidden()
})

/** One answer stands alone between the heading that counts it and what comes after all answers. */
async function expectBelowHeading(page: Page): Promise<void> {
  const [heading, answer] = [page.locator('#answers'), page.locator('.answer')]
  await expect(answer).toHaveCount(1)
  await expect(heading).toHaveText(t('answers.count', { count: 1 }))
  await expect(page.locator('.none-yet')).toHaveCount(0)
  const [above, below] = [await heading.boundingBox(), await answer.boundingBox()]
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
}

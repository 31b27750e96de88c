import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'

const t = translatorOf('en')

test('what staff changed is read word by word, and brought back', async ({ as, forum }) => {
  const course = await aCourse(forum.db)
  const asker = await aPerson(forum.db)
  const question = await aQuestion(forum.db, { course, author: asker, body: 'May I make links?' })
  const staff = await as(await aMember(forum.db, course, 'instructor'))
  await staff.goto(`/questions/${question.id}/edit`)
  await staff
    .getByRole('textbox', { name: t('questions.body.label'), exact: true })
    .fill('May I design links?')
  await staff.getByLabel(t('history.reason')).fill('the word of the lecture')
  await staff.getByRole('button', { name: t('posts.save') }).click()
  await expect(staff.getByRole('status')).toHaveText(t('questions.flash.edited'))

  const mine = await as(asker)
  await mine.goto(`/questions/${question.id}`)
  const acts = mine.locator('.post.question > .acts')
  expect((await acts.boundingBox())?.height, 'they are one row').toBeLessThan(60)
  await acts.locator('summary', { hasText: t('posts.more') }).click()
  await acts.getByRole('link', { name: t('history.link') }).click()
  await expect(mine.locator('.diff del')).toContainText('make')
  await expect(mine.locator('.diff ins')).toContainText('design')
  await expect(mine.locator('.version-bar')).toContainText('the word of the lecture')
  expect(await barriers(mine)).toEqual([])
  await mine.setViewportSize(PHONE)
  expect(await tooWide(mine)).toEqual([])

  await staff.goto(`/questions/${question.id}/history?version=1`)
  await staff.getByRole('button', { name: t('history.restore') }).click()
  await expect(staff.getByRole('status')).toHaveText(t('history.flash.restored'))
  await mine.goto(`/questions/${question.id}`)
  await expect(mine.locator('.question .prose')).toHaveText('May I make links?')
})

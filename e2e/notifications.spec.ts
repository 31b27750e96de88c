import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'

const t = translatorOf('en')
const bell = (count: number) => t('notifications.bell', { count })

test('the bell counts what came while a page is open, and opening the question makes it silent', async ({
  as,
  forum,
}) => {
  const asker = await aPerson(forum.db)
  const question = await aQuestion(forum.db, { course: await aCourse(forum.db), author: asker })
  const page = await as(asker)
  const isListening = page.waitForResponse(/\/live\/notifications/)
  await page.goto('/following')
  await isListening
  await expect(page.getByRole('link', { name: bell(0) })).toBeVisible()
  await anAnswer(forum.db, { question, body: 'Leave the door open.' })
  await expect(page.getByRole('link', { name: /1 new notification|One new notification/ })).toBeVisible()

  await page.goto('/notifications')
  await page.getByRole('button', { name: question.title }).click()
  await expect(page).toHaveURL(new RegExp(`${questionPath(question)}#answer-`))
  await expect(page.getByRole('link', { name: bell(0) })).toBeVisible()
})

test('a question that was read says later what is new in it, and is read by looking at it', async ({
  as,
  forum,
}) => {
  const course = await aCourse(forum.db)
  const question = await aQuestion(forum.db, { course })
  const page = await as(await aPerson(forum.db))
  const read = () => page.waitForResponse((response) => response.url().endsWith('/reading'))
  const first = read()
  await page.goto(questionPath(question))
  await first
  await anAnswer(forum.db, { question })
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(1)
  const second = read()
  await page.goto(questionPath(question))
  await expect(page.getByText(t('notifications.since', { count: 1 }))).toBeVisible()
  await second
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(0)
})

test('without scripts what is new is marked as read by buttons, on a phone, in Korean', async ({
  as,
  forum,
}) => {
  const ko = translatorOf('ko')
  const asker = await aPerson(forum.db, { language: 'ko' })
  const question = await aQuestion(forum.db, { course: await aCourse(forum.db), author: asker })
  await anAnswer(forum.db, { question })
  const page = await as(asker, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  await page.goto('/notifications')
  await expect(page.getByRole('link', { name: ko('notifications.bell', { count: 1 }) })).toBeVisible()
  await page.getByRole('button', { name: question.title }).click()
  await expect(page.getByRole('link', { name: ko('notifications.bell', { count: 0 }) })).toBeVisible()
  await page.getByRole('button', { name: ko('notifications.read') }).click()
  await expect(page.getByRole('button', { name: ko('notifications.read') })).toBeHidden()
})

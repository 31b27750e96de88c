import { caseOf, decided, reported } from '../src/forum/cases/testing.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { rowsOf } from '../src/testing/rows.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, test } from './forum.ts'
import { barriers, expectSound, PHONE } from './inspection.ts'

const t = translatorOf('en')
const bell = (count: number) => t('notifications.bell', { count })

test('the bell counts what came meanwhile, and opening the question makes it silent', async ({ as, db }) => {
  const asker = await aPerson(db)
  const question = await aQuestion(db, { course: await aCourse(db), author: asker })
  const page = await as(asker)
  const isListening = page.waitForResponse(/\/live\/notifications/)
  await page.goto('/following')
  await isListening
  await expect(page.getByRole('link', { name: bell(0) })).toBeVisible()
  await anAnswer(db, { question, body: 'Leave the door open.' })
  await expect(page.getByRole('link', { name: /1 new notification|One new notification/ })).toBeVisible()

  await page.goto('/notifications')
  await page.getByRole('link', { name: question.title }).click()
  await expect(page).toHaveURL(new RegExp(`${questionPath(question)}#answer-`))
  await expect(page.getByRole('link', { name: bell(0) })).toBeVisible()
})

test('a question that was read says what is new in it, and is read by looking at it', async ({ as, db }) => {
  const course = await aCourse(db)
  const question = await aQuestion(db, { course })
  const page = await as(await aPerson(db))
  const read = () => page.waitForResponse((response) => response.url().endsWith('/reading'))
  const first = read()
  await page.goto(questionPath(question))
  await first
  await anAnswer(db, { question })
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(1)
  const second = read()
  await page.goto(questionPath(question))
  await expect(page.getByText(t('notifications.since', { count: 1 }))).toBeVisible()
  await second
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(0)
})

test('the bell opens what was told last, unseen, and leads on with the course’s bar', async ({ as, db }) => {
  const course = await aCourse(db)
  const asker = await aMember(db, course)
  const question = await aQuestion(db, { course, author: asker })
  await anAnswer(db, { question })
  const page = await as(asker)
  await page.goto(`/courses/${course.slug}`)
  const link = page.getByRole('link', { name: /new notification/ })
  const panel = page.getByRole('region', { name: t('notifications.title') })
  await link.click()
  await expect(panel.getByRole('link', { name: question.title })).toBeVisible()
  await expect(link).toHaveAttribute('aria-expanded', 'true')
  expect(await barriers(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(panel).toBeHidden()
  await page.reload()
  await expect(link).toBeVisible()
  await link.click()
  await panel.getByRole('link', { name: t('notifications.all') }).click()
  await expect(page.locator('.course-name')).toHaveText(course.title)
  await page.locator('header [data-viewer] summary').click()
  await page.getByRole('link', { name: t('layout.settings'), exact: true }).click()
  await expect(page.locator('.course-name')).toHaveText(course.title)
  await page.locator('#search').fill('door')
  await page.locator('#search').press('Enter')
  await expect(page).toHaveURL(/\/search\?course=.*q=door/)
  await expect(page.locator('.course-name')).toHaveText(course.title)
  await page.goto(questionPath(question))
  await page.locator('.answer .person').click()
  await expect(page.locator('.course-name')).toHaveText(course.title)
})

test('n leads from one unread question to the next, and all are read at once', async ({ as, db }) => {
  const course = await aCourse(db)
  const page = await as(await aPerson(db))
  await page.goto(`/courses/${course.slug}`)
  await expect.poll(() => rowsOf(db, 'course_reads', { course_id: course.id })).toHaveLength(1)
  for (const title of ['First', 'Second']) await aQuestion(db, { course, title })
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(2)
  for (const title of ['Second', 'First']) {
    await page.keyboard.press('n')
    await expect(page.getByRole('link', { name: title })).toBeFocused()
  }
  await page.getByRole('link', { name: t('questions.tab.unread') }).click()
  await expect(page.locator('.question-row')).toHaveCount(2)
  await page.getByRole('button', { name: t('notifications.seen') }).click()
  await expect(page.getByText(t('questions.empty.unread.title'))).toBeVisible()
  await page.goto(`/courses/${course.slug}`)
  await expect(page.locator('.question-row.unread')).toHaveCount(0)
})

test('what became of several reports is one entry, which leads to each', async ({ as, db }) => {
  const course = await aCourse(db)
  const [staff, reporter] = [await aMember(db, course, 'instructor'), await aMember(db, course)]
  for (const title of ['Which port is it?', `${'Which'.repeat(20)} host?`]) {
    const { id } = await anAnswer(db, { question: await aQuestion(db, { course, title }) })
    const subject = { about: 'answer', id } as const
    await reported(db, subject, reporter.id)
    await decided(db, staff.id, await caseOf(db, subject), ['hide'])
  }
  const page = await as(reporter)
  await page.setViewportSize(PHONE)
  await page.goto('/following')
  await page.getByRole('link', { name: /(?:1|One) new notification$/ }).click()
  const said = t('notifications.reported.many.upheld', { count: 2 })
  await page
    .getByRole('region', { name: t('notifications.title') })
    .getByRole('link', { name: said })
    .click()
  await expect(page).toHaveURL(/\/notifications$/)
  const entry = page.locator('.news-row')
  await entry.locator('summary').focus()
  await page.keyboard.press('Enter')
  const port = entry.getByRole('link', { name: 'Answer to “Which port is it?”' })
  await expect(port).toBeVisible()
  await expectSound(page)
  await port.click()
  await expect(page.getByRole('heading', { name: t('myReport.title') })).toBeVisible()
  await page.goBack()
  await entry.getByRole('button', { name: t('notifications.read') }).click()
  await expect(page.getByRole('link', { name: bell(0) })).toBeVisible()
})

import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { suspend } from '../src/forum/cases/acts-on-people.ts'
import { object } from '../src/forum/cases/endings.ts'
import { caseOf, decided, inWrite, measuresOf, reported } from '../src/forum/cases/testing.ts'
import { changePolicy } from '../src/forum/policies/policy.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion } from '../src/testing/builders.ts'
import { rowOf } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'

const t = translatorOf('en')
const SOLUTION = 'Just take mine: PUT /books/1'
const RULE = 'Explain instead of solving'

test('an answer is reported, hidden, objected to, and shown again by someone else', async ({ as, db }) => {
  const { course, question, author } = await aThread(db)
  const [assistant, instructor] = [
    await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Aleks Novak' })),
    await aMember(db, course, 'instructor', await aPerson(db, { displayName: 'Mara Ilić' })),
  ]
  const rules = { courseId: course.id, name: 'rules', language: 'en' } as const
  await inWrite(db, (write) => changePolicy(write, rules, `## ${RULE}\n\nOf graded work.`, 0))
  const reporter = await aMember(db, course)

  const reporting = await as(reporter)
  await reporting.goto(`/questions/${question.id}`)
  await more(reporting).click()
  await linkTo(reporting, 'reports.link').click()
  await reporting.getByLabel(t('reports.reason.solution')).check()
  await reporting.getByRole('textbox', { name: t('reports.form.note') }).fill('This is the homework.')
  // The page opens at the answer, whose message above it stays in sight until the reader goes on.
  await reporting.setViewportSize({ width: 800, height: 240 })
  await button(reporting, 'reports.form.button').click()
  await expectSaid(reporting, t('reports.flash.sent'))
  await expect(reporting.locator('.answer').first()).toBeInViewport()
  await expect(reporting.locator('[data-flash]')).toBeInViewport()
  await reporting.setViewportSize({ width: 1280, height: 720 })
  await more(reporting).click()
  await expect(reporting.locator('.afloat')).toHaveCount(0)
  await expect(linkTo(reporting, 'reports.link')).toContainText(t('reports.reported'))

  const deciding = await as(instructor)
  await deciding.goto(`/courses/${course.slug}`)
  const tab = deciding.getByRole('link', { name: new RegExp(`^${t('cases.queue.title')}`) })
  await expect(tab).toContainText('1')
  await tab.click()
  await deciding.getByRole('link', { name: SOLUTION }).click()
  await expect(deciding.getByText(t('cases.claim.mineNow'))).toBeVisible()
  await expect(button(deciding, 'cases.claim.release')).toBeVisible()
  const { id } = await caseOf(db, { about: 'answer', id: question.answerId })
  const other = await as(assistant)
  await other.goto(`/cases/${id}`)
  await expect(other.getByText(t('cases.claim.other', { name: instructor.displayName }))).toBeVisible()

  await deciding.getByLabel(t('cases.form.rule'), { exact: true }).selectOption(RULE)
  await deciding
    .getByLabel(t('cases.form.noteTo', { name: author.displayName }))
    .fill('Describe the way, please.')
  await deciding.getByText(t('cases.more'), { exact: true }).click()
  await deciding.getByLabel(t('cases.form.reporterNote'), { exact: true }).fill('Thank you, it is hidden.')
  expect(await barriers(deciding)).toEqual([])
  await deciding.getByRole('button', { name: t('cases.quick.hide') }).click()
  await expectSaid(deciding, t('cases.flash.hide'))
  await expect(button(deciding, 'posts.undo')).toBeVisible()
  expect(await barriers(deciding)).toEqual([])
  await reporting.goto(`/questions/${question.id}`)
  await expect(reporting.getByText(SOLUTION)).toHaveCount(0)
  await reporting.goto('/notifications')
  await expect(reporting.getByText(t('notifications.reported.hide', { about: 'answer' }))).toBeVisible()
  await expect(reporting.getByText('Thank you, it is hidden.')).toBeVisible()

  const objecting = await as(author)
  await objecting.goto('/settings/standing')
  const standing = objecting.getByRole('main')
  for (const said of [t('measures.hide.answer'), 'Describe the way, please.', RULE])
    await expect(standing).toContainText(said)
  await expect(standing).not.toContainText(reporter.displayName)
  await objecting.locator('summary', { hasText: t('standing.object') }).click()
  await objecting.getByLabel(t('standing.object.label')).fill('It is another exercise.')
  await button(objecting, 'standing.object.button').click()
  await expectSaid(objecting, t('standing.flash.objected'))

  await deciding.goto(`/cases/${id}`)
  await expect(deciding.getByText(t('objections.notYou'))).toBeVisible()
  await other.goto(`/courses/${course.slug}/moderation?view=objections`)
  await other.getByRole('link', { name: SOLUTION }).click()
  await other
    .getByLabel(t('objections.answerTo', { name: author.displayName }))
    .fill('You’re right, it is last year’s.')
  await button(other, 'objections.lift.objection').click()
  await expectSaid(other, t('cases.flash.answered'))
  await objecting.goto('/settings/standing')
  await expect(standing).toContainText(t('standing.answered.lift'))
  await expect(standing).toContainText('You’re right, it is last year’s.')
  await reporting.goto(`/questions/${question.id}`)
  await expect(reporting.getByText(SOLUTION)).toBeVisible()
})

test.describe('a visitor with a phone, in Korean and without scripts', () => {
  test.use({ javaScriptEnabled: false, locale: 'ko-KR', viewport: PHONE })

  test('reports an answer, and is not asked for an account', async ({ as, db }) => {
    const ko = translatorOf('ko')
    const { question } = await aThread(db)
    const page = await as(null)
    await page.goto(`/questions/${question.id}`)
    await page.locator('.answer details.menu summary').click()
    await page
      .locator('.answer')
      .getByRole('link', { name: ko('reports.link') })
      .click()
    expect(await tooWide(page)).toEqual([])
    await page.getByLabel(ko('reports.reason.other')).check()
    await page.getByLabel(ko('accounts.email.label')).fill('visitor@example.com')
    await page.getByRole('button', { name: ko('reports.form.button') }).click()
    await expect(page.getByText(ko('reports.form.noteMissing')).first()).toBeVisible()
    await expect(page.getByLabel(ko('accounts.email.label'))).toHaveValue('visitor@example.com')
    await page.getByRole('textbox', { name: ko('reports.form.note') }).fill('제 글을 베꼈습니다.')
    await page.getByRole('button', { name: ko('reports.form.button') }).click()
    await expectSaid(page, ko('reports.flash.sentByVisitor'))
    const { id } = await caseOf(db, { about: 'answer', id: question.answerId })
    const report = await rowOf(db, 'reports', { case_id: id })
    expect(report).toMatchObject({ note: '제 글을 베꼈습니다.', visitor_email: 'visitor@example.com' })
  })

  test('the only instructor passes an objection to their own decision on', async ({ as, db }) => {
    const ko = translatorOf('ko')
    const { course, question, author } = await aThread(db)
    const instructor = await aMember(db, course, 'instructor')
    const subject = { about: 'answer', id: question.answerId } as const
    await reported(db, subject, null)
    const matter = await caseOf(db, subject)
    await decided(db, instructor.id, matter, ['delete'])
    const [measure] = await measuresOf(db, matter.id)
    await inWrite(db, (write) => object(write, author.id, measure?.id ?? 0, '제 풀이입니다.'))
    const page = await as(instructor)
    await page.goto(`/cases/${matter.id}`)
    expect(await tooWide(page)).toEqual([])
    await page.getByRole('button', { name: ko('cases.handover.admins') }).click()
    await expectSaid(page, ko('cases.flash.handed'))
  })
})

test('a suspended person’s answer is refused with the reason, and kept', async ({ as, db }) => {
  const { course, question, author } = await aThread(db)
  const instructor = await aMember(db, course, 'instructor')
  const page = await as(author)
  await page.goto(`/questions/${question.id}`)
  await page.getByLabel(t('answers.form.label'), { exact: true }).fill('My answer, at length.')
  await inWrite(db, (write) =>
    suspend(write, instructor.id, {
      ...{ personId: author.id, courseId: course.id, until: null },
      note: 'Please be kind.',
    }),
  )
  const refused = page.waitForResponse(
    (response) => response.request().method() === 'POST' && response.status() === 403,
  )
  await button(page, 'answers.form.post').click()
  await refused
  await expect(page.getByRole('alert')).toContainText('Please be kind.')
  await expect(page.getByLabel(t('answers.form.label'), { exact: true })).toHaveValue('My answer, at length.')
})

/** A question of a course, answered with what will be reported. */
async function aThread(db: Database) {
  const course = await aCourse(db, { title: 'HTTP and REST' })
  const author = await aMember(db, course)
  const question = await aQuestion(db, { course, title: 'Which verb is it?' })
  const answer = await anAnswer(db, { question, author, body: SOLUTION })
  return { course, author, question: { ...question, answerId: answer.id } }
}

const more = (page: Page) => page.locator('.answer details.menu summary')
const linkTo = (page: Page, key: string) => page.locator('.answer').getByRole('link', { name: t(key) })
const button = (page: Page, key: string) => page.getByRole('button', { name: t(key), exact: true })

import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { expectSaid } from './journey.ts'
import { WAYS } from './ways.ts'

for (const [how, language, options] of WAYS) {
  const t = translatorOf(language)

  test(`staff announce, correct and propose to the FAQ, a learner reads it, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const page = await as(await aMember(db, course, 'assistant'), options)
    await page.goto(`/courses/${course.slug}/announcements`)
    await page.getByRole('link', { name: t('announcements.new.title') }).click()
    await page.getByLabel(t('questions.title.label')).fill('The exam moves')
    await page.getByLabel(t('announcements.body.label'), { exact: true }).fill('To the **blue** hall.')
    await page.getByRole('button', { name: t('announcements.new.button') }).click()
    await expectSaid(page, t('announcements.flash.posted'))
    await expect(page.locator('.prose strong')).toHaveText('blue')
    await page.getByRole('link', { name: t('announcements.correct') }).click()
    await page.getByLabel(t('questions.title.label')).fill('No, it stays')
    await page.getByLabel(t('announcements.body.label'), { exact: true }).fill('Where it was.')
    await page.getByRole('button', { name: t('announcements.new.button') }).click()
    await page.getByRole('main').getByRole('link', { name: 'The exam moves' }).click()
    await expect(page.getByRole('link', { name: t('announcements.isCorrected') })).toBeVisible()
    await page.goto(`/courses/${course.slug}/faq`)
    await page.locator('#title').fill('Which Java?')
    await page.locator('#body').fill('Java 25.')
    await page.getByRole('button', { name: t('faq.propose'), exact: true }).click()
    await expectSaid(page, t('faq.flash.proposed'))

    const instructor = await as(await aMember(db, course, 'instructor'), options)
    await instructor.goto(`/courses/${course.slug}/faq`)
    await instructor.locator('summary', { hasText: 'Which Java?' }).click()
    await instructor.getByLabel(t('faq.state.label')).selectOption('shown')
    await instructor.getByRole('button', { name: t('posts.save') }).click()
    const learner = await as(await aMember(db, course), options)
    await learner.goto(`/courses/${course.slug}`)
    await expect(learner.getByRole('main')).toContainText('No, it stays')
    await learner.goto(`/courses/${course.slug}/faq`)
    await expect(learner.getByRole('main')).toContainText('Java 25.')
    await expect(learner.getByRole('main').locator('form')).toHaveCount(0)
  })
}

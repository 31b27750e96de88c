import type { Locator, Page } from 'playwright/test'
import { aCourse, aMember, aQuestion, aReply } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'
import { WAYS } from './ways.ts'

for (const { how, options, t } of WAYS) {
  test(`an instructor merges two tags, closes two questions, and undoes it, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const word = `js${course.id}`
    for (const tags of [[word], [`script${course.id}`]])
      await aQuestion(db, { course, title: `About ${tags[0]}`, tags })
    const page = await as(await aMember(db, course, 'instructor'), options)
    const path = `/courses/${course.slug}`

    await page.goto(`${path}/settings/tags?tag=${word}`)
    await page.getByLabel(t('courseTags.name.label')).fill(`script${course.id}`)
    await page.getByRole('button', { name: t('posts.save'), exact: true }).click()
    await expectSaid(page, t('courseSettings.flash.saved'))
    await page.goto(`${path}?tag=${word}`)
    await expect(page).toHaveURL(new RegExp(`tag=script${course.id}$`))
    await expect(page.locator('.question-row')).toHaveCount(2)

    for (const box of await page.locator('.question-row').getByRole('checkbox').all()) await box.check()
    await page.getByRole('button', { name: t('bulk.open') }).click()
    await page.getByLabel(t('bulk.act.close')).check()
    await page.locator('select[name="reason"]').selectOption('unclear')
    await page.getByRole('button', { name: t('bulk.button'), exact: true }).click()
    await expect(page.getByRole('status').first()).toContainText(
      t('bulk.report.done.said', { count: 2, all: 2 }),
    )
    await page.getByRole('button', { name: t('posts.undo'), exact: true }).click()
    await expect(page.getByRole('status').first()).toContainText(
      t('bulk.report.undone.said', { count: 2, all: 2 }),
    )

    await page.goto(`${path}/settings/tags`)
    await page.locator('form[action$="/undo"] button').click()
    await expectSaid(page, t('courseTags.flash.undone'))
    await page.goto(`${path}?tag=${word}`)
    await expect(page.locator('.question-row')).toHaveCount(1)
  })

  test(`staff make an answer of a reply, close the question and move it, ${how}`, async ({ as, db }) => {
    const [from, to] = [await aCourse(db), await aCourse(db, { lectures: ['Verbs'] })]
    const staff = await aMember(db, from, 'instructor')
    await aMember(db, to, 'instructor', staff)
    const question = await aQuestion(db, { course: from })
    const { id } = await aReply(db, { question, body: 'It is 201.' })
    const page = await as(staff, options)
    const press = (name: string, within: Locator | Page = page) =>
      within.getByRole('button', { name, exact: true }).press('Enter')
    const openMore = (post: Locator) =>
      post
        .locator('summary')
        .filter({ hasText: t('posts.more') })
        .first()
        .press('Enter')

    await page.goto(`/questions/${question.id}`)
    const reply = page.locator(`#reply-${id}`)
    await openMore(reply)
    await reply.getByRole('link', { name: t('converting.title.replies') }).press('Enter')
    await expect(page.getByText(t('converting.text.replies'))).toBeVisible()
    expect(await tooWide(page)).toEqual([])
    await press(t('converting.button.replies'))
    await expectSaid(page, t('converting.flash.answers'))
    await expect(page.locator('.answer')).toContainText('It is 201.')
    await press(t('posts.undo'))
    await expectSaid(page, t('converting.flash.undone'))
    await expect(reply).toContainText('It is 201.')

    const asked = page.locator('.post.question')
    await openMore(asked)
    await press(`${t('desk.closing.name')}…`, asked)
    const closing = page.locator('#closing')
    await closing.locator('select[name=reason]').selectOption('heated')
    await press(t('desk.closing.name'), closing)
    await expectSaid(page, t('closing.flash.closed'))
    await expect(page.getByText(t('closing.noReplies'))).toBeVisible()

    await openMore(asked)
    await asked.getByRole('link', { name: t('moving.title') }).press('Enter')
    await page.getByLabel(t('moving.course.label'), { exact: true }).selectOption(to.slug)
    await press(t('moving.choose'))
    await page.getByLabel(t('moving.lecture.label'), { exact: true }).selectOption('1')
    expect(await tooWide(page)).toEqual([])
    await press(t('moving.move'))
    await expectSaid(page, t('moving.flash.course'))
    await expect(page.locator(`a[href="/courses/${to.slug}"]`).first()).toBeVisible()
    await expect(page.getByText(t('closing.noReplies'))).toBeVisible()
  })
}

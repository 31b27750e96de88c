import type { Locator, Page } from 'playwright/test'
import { aCourse, aMember, aPerson } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { WAYS } from './ways.ts'

const TITLE = 'The grader says my second test fails'

for (const { how, options, t } of WAYS)
  test(`a learner asks staff alone, is answered, and opens it to the course, ${how}`, async ({ as, db }) => {
    const course = await aCourse(db, { title: `Private matters ${Date.now()}` })
    const asker = await aMember(db, course)
    const assistant = await aMember(db, course, 'assistant', await aPerson(db, { displayName: 'Jun Tanaka' }))
    const mine = await as(asker, options)

    await mine.goto(`/questions/new?course=${course.slug}`)
    await mine.getByLabel(t('questions.title.label'), { exact: true }).fill(TITLE)
    await mine.getByLabel(t('questions.body.label'), { exact: true }).fill('Here it passes.')
    await mine.locator('#tags').fill('assignment-2')
    await expect(mine.getByRole('group', { name: t('audience.legend') })).toContainText('Jun Tanaka')
    await mine.getByRole('radio', { name: new RegExp(t('audience.staff')) }).check()
    await mine.getByRole('button', { name: t('questions.new.post') }).click()
    await expect(mine.getByRole('heading', { level: 1 })).toHaveText(TITLE)
    await expect(mine.getByRole('main')).toContainText(t('audience.private.own'))
    const path = new URL(mine.url()).pathname
    expect(path).toMatch(/^\/questions\/\d+\/private$/)

    await mine.goto('/questions?mine=1')
    await expect(mine.getByRole('main')).toContainText(t('audience.private'))
    await expect(mine.getByRole('link', { name: TITLE })).toHaveAttribute('href', path)

    const helper = await as(assistant, options)
    await helper.goto(path)
    await helper.getByLabel(t('answers.form.label')).fill('The grader runs in UTC.')
    await helper.getByRole('button', { name: t('answers.form.post') }).click()
    await expect(helper.locator('.answer')).toContainText('UTC')

    await mine.goto(path)
    await expect(mine.locator('.answer')).toContainText('UTC')
    await openingMenu(mine).click()
    await mine.getByRole('button', { name: t('audience.open.named') }).click()
    await expect(mine.getByRole('status').first()).toContainText(t('audience.flash.opened'))
    const classmate = await as(await aMember(db, course), options)
    await classmate.goto(`/courses/${course.slug}`)
    await classmate.getByRole('link', { name: TITLE }).click()
    await expect(classmate.locator('.answer')).toContainText('UTC')

    await helper.goto(path)
    await openingMenu(helper).click()
    await helper.getByRole('button', { name: t('audience.withdraw') }).click()
    await expect(helper.getByRole('main')).toContainText(t('audience.private.staff'))
  })

/** The menu of who can see the question; on a phone it is behind "More". */
function openingMenu(page: Page): Locator {
  return page.locator('.question > .acts > .menu > summary').filter({ visible: true }).first()
}

import type { Page } from 'playwright/test'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aPerson, aQuestion } from '../src/testing/builders.ts'
import { setRows } from '../src/testing/rows.ts'
import { expect, test } from './forum.ts'
import { barriers, PHONE, tooWide } from './inspection.ts'
import { expectSaid } from './journey.ts'

const [EN, KO] = [translatorOf('en'), translatorOf('ko')]

for (const [where, t, options] of [
  ['with scripts', EN, {}],
  ['on a phone, without scripts, in Korean', KO, { javaScriptEnabled: false, locale: 'ko', viewport: PHONE }],
] as const)
  test(`an answer waits for review, is released from the queue, and another is rejected, ${where}`, async ({
    as,
    forum: { db },
  }) => {
    const inspect = async (page: Page) => {
      if ('javaScriptEnabled' in options) return
      expect(await barriers(page)).toEqual([])
      await page.setViewportSize(PHONE)
      expect(await tooWide(page)).toEqual([])
    }
    const course = await aCourse(db)
    await setRows(db, 'courses', course.id, { hold: 'all' })
    const [learner, staff] = [await aMember(db, course), await aMember(db, course, 'instructor')]
    const question = await aQuestion(db, { course })
    const writing = await as(learner, options)
    for (const text of ['It is 201, I think.', 'It is 202, and you are fools.']) {
      await writing.goto(`/questions/${question.id}`)
      await writing.locator('form[action$="/answers"] textarea[name=body]').fill(text)
      await writing.locator('form[action$="/answers"] button.primary').click()
      await expectSaid(writing, t('posts.flash.held'))
    }
    await expect(writing.getByText(t('held.why.all'))).toHaveCount(2)
    await inspect(writing)

    const visiting = await as(await aPerson(db), options)
    await visiting.goto(`/questions/${question.id}`)
    await expect(visiting.getByText('It is 20')).toHaveCount(0)

    const reviewing = await as(staff, options)
    await reviewing.goto(`/courses/${course.slug}/moderation`)
    await reviewing.getByRole('link', { name: new RegExp(t('cases.view.held')) }).click()
    await inspect(reviewing)
    const row = (text: string) => reviewing.getByRole('listitem').filter({ hasText: text })
    await row('201')
      .getByRole('button', { name: t('held.release') })
      .press('Enter')
    await expectSaid(reviewing, t('held.flash.released'))
    await row('202')
      .getByRole('link', { name: t('held.reject') })
      .press('Enter')
    await reviewing.getByLabel(t('removal.reason'), { exact: true }).selectOption('rude')
    const reject = reviewing.getByRole('button', { name: t('held.rejection.button') })
    await reject.click()
    await expect(reviewing.locator('[aria-invalid=true]')).toHaveCount(1)
    await inspect(reviewing)
    await reviewing.locator('textarea[name=note]').fill('Be kind.')
    await reject.click()
    await expectSaid(reviewing, t('held.flash.rejected'))
    await expect(reviewing.getByText(t('cases.none.held'))).toBeVisible()

    await visiting.goto(`/questions/${question.id}`)
    await expect(visiting.getByText('It is 201, I think.')).toBeVisible()
    await expect(visiting.getByText('fools')).toHaveCount(0)
  })

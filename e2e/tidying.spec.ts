import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { PHONE } from './inspection.ts'
import { expectSaid } from './journey.ts'

for (const [how, language, options] of [
  ['with scripts', 'en', {}],
  [
    'without scripts, on a phone, in Korean',
    'ko',
    { javaScriptEnabled: false, viewport: PHONE, locale: 'ko-KR' },
  ],
] as const) {
  const t = translatorOf(language)

  test(`an instructor merges two tags and closes two questions, and undoes both, ${how}`, async ({
    as,
    forum,
  }) => {
    const { db } = forum
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
}

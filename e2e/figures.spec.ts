import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { ASKED_WEEKS, anAskedCourse } from '../src/testing/asked-course.ts'
import { expect, test } from './forum.ts'
import { once } from './once.ts'

/** A hundred posts, which these tests only read. */
const asked = once((db: Database) => anAskedCourse(db))

for (const [how, language, options] of [
  ['with scripts', 'en', {}],
  ['with JavaScript off, in Korean', 'ko', { javaScriptEnabled: false, locale: 'ko-KR' }],
] as const) {
  const t = translatorOf(language)

  test(`an instructor chooses a range, reads, downloads and follows figures, ${how}`, async ({ as, db }) => {
    const { course, instructor } = await asked(db)
    const page = await as(instructor, options)
    await page.goto(`/courses/${course.slug}`)
    await page.getByRole('link', { name: t('courses.bar.figures') }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(t('figures.title'))
    await page.getByLabel(t('figures.range.from')).fill(ASKED_WEEKS.from)
    await page.getByLabel(t('figures.range.to')).fill(ASKED_WEEKS.to)
    await page.getByRole('button', { name: t('figures.range.show') }).click()

    const weeks = page.getByRole('region', { name: t('figures.periods.week') })
    const first = language === 'en' ? '7 Sep 2026 – 13 Sep 2026' : '2026.09.07 – 2026.09.13'
    await expect(weeks.getByRole('row').nth(1)).toContainText(first)
    await weeks
      .getByRole('row')
      .nth(3)
      .getByRole('link', { name: t('figures.few') })
      .first()
      .click()
    await expect(page).toHaveURL(/#withheld$/)
    await expect(page.getByText(t('figures.withheld.title'))).toBeVisible()

    const download = page.waitForEvent('download')
    await page
      .getByRole('link', { name: t('figures.csv'), exact: true })
      .first()
      .click()
    expect((await download).suggestedFilename()).toBe(`${course.slug}-figures-2026-09-07-2026-10-04.csv`)

    const map = page.getByRole('region', { name: t('figures.chart.lectures.title') })
    await map.getByRole('link', { name: '2 · =Hypermedia' }).click()
    await expect(page).toHaveURL(/lecture=2/)
  })
}

import { translatorOf } from '../src/messages/catalogue.ts'
import type { Language } from '../src/messages/language.ts'
import { ASKED_WEEKS, anAskedCourse } from '../src/testing/asked-course.ts'
import { type As, expect, type Forum, test } from './forum.ts'
import { once } from './once.ts'

/** A hundred posts, which these tests only read. */
const asked = once(({ db }: Forum) => anAskedCourse(db))

/** Staff go from the course to its figures, choose a range, read a table and follow a lecture to its questions. */
async function readFigures(as: As, forum: Forum, language: Language) {
  const t = translatorOf(language)
  const { course, instructor } = await asked(forum)
  const page = await as(instructor)
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
}

test('an instructor reads the figures of the course', async ({ as, forum }) => {
  await readFigures(as, forum, 'en')
})

test.describe('with JavaScript off, in Korean', () => {
  test.use({ javaScriptEnabled: false, locale: 'ko-KR' })

  test('an instructor reads the figures of the course', async ({ as, forum }) => {
    await readFigures(as, forum, 'ko')
  })
})

import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, aQuestion } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { barriers, lowContrast, tooWide } from './inspection.ts'
import { searchBox } from './search-box.ts'

const t = translatorOf('en')
const PHONE = { width: 390, height: 844 }
const NARROW = { width: 320, height: 640 }

for (const [javaScriptEnabled, word] of [
  [true, 'pergola'],
  [false, 'gazebo'],
] as const) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test('the masthead is the field: of the course first, then of all courses', async ({ as, db }) => {
      const { here, learner } = await aScene(db, word)
      const page = await as(learner)
      await page.setViewportSize(PHONE)
      await page.goto(`/courses/${here.slug}`)
      await page
        .getByRole('banner')
        .getByRole('link', { name: t('search.label') })
        .click()

      await expect(searchBox(page)).toBeFocused()
      await expect(page.getByRole('banner').getByRole('link', { name: t('layout.ask') })).toBeHidden()
      await expect(page.locator('.syntax')).toBeHidden()
      for (const name of [t('search.door.inCourse'), t('layout.ownQuestions'), t('courses.bar.faq')])
        await expect(page.getByRole('main').getByRole('link', { name })).toBeVisible()
      await searchBox(page).pressSequentially(word)
      await searchBox(page).press('Enter')

      await expect(page.getByText(t('search.count', { count: 1 }), { exact: true })).toBeVisible()
      await expect(page.locator('.scope')).toContainText('Arbours')
      await expect(searchBox(page)).toHaveValue(word)
      await page.getByRole('link', { name: t('search.inAll', { count: 2 }) }).click()
      await expect(page.getByText(t('search.count', { count: 2 }), { exact: true })).toBeVisible()
      await expect(page.locator('.scope')).toHaveCount(0)
      await page.goBack()
      await page.getByRole('link', { name: t('search.allCourses') }).click()
      await expect(page.getByText(t('search.count', { count: 2 }), { exact: true })).toBeVisible()

      await page.getByRole('link', { name: t('search.clear') }).click()
      await expect(searchBox(page)).toHaveValue('')
      await expect(searchBox(page)).toBeFocused()
    })
  })
}

test('typing shows questions and tags below the field, and the tips are a press away', async ({ as, db }) => {
  const { here, learner } = await aScene(db, 'trellis')
  const page = await as(learner)
  await page.setViewportSize(PHONE)
  await page.goto(`/search?course=${here.slug}`)
  await searchBox(page).pressSequentially('trell')
  const options = page.getByRole('option')
  await expect(options).toHaveText(['Paint for a trellis', `trellis ${t('search.tag')}`])
  const box = await page.getByRole('listbox').boundingBox()
  expect(box).toMatchObject({ x: 0, width: PHONE.width })
  expect(await barriers(page)).toEqual([])
  await searchBox(page).press('Escape')
  await expect(options).toHaveCount(0)
  await page.getByText(t('search.help.title')).click()
  await expect(page.locator('.syntax')).toBeVisible()
  await page.getByRole('link', { name: t('search.clear') }).click()
  await expect(searchBox(page)).toHaveValue('')
})

test('back leads to where one came from, and from elsewhere to the course', async ({ as, db }) => {
  const { here, question } = await aScene(db, 'arcade')
  const page = await as(null)
  await page.setViewportSize(PHONE)
  const back = page.getByRole('link', { name: t('search.back'), exact: true })
  await page.goto(`/questions/${question.id}`)
  await page
    .getByRole('banner')
    .getByRole('link', { name: t('search.label') })
    .click()
  await back.click()
  await expect(page).toHaveURL(new RegExp(`/questions/${question.id}/`))
  await page.goto(`/search?course=${here.slug}`)
  await back.click()
  await expect(page).toHaveURL(new RegExp(`/courses/${here.slug}$`))
})

test('the keyboard goes as the eye does, both pages fit 320 pixels in both themes', async ({ as, db }) => {
  const { here, learner } = await aScene(db, 'belvedere')
  const page = await as(learner)
  await page.setViewportSize(NARROW)
  for (const path of [`/search?course=${here.slug}`, `/search?q=belvedere&course=${here.slug}`]) {
    await page.goto(path)
    expect.soft(await tooWide(page), path).toEqual([])
    const places = await stops(page)
    expect.soft(places, path).toEqual(places.toSorted((one, other) => one.y - other.y || one.x - other.x))
    await page.emulateMedia({ colorScheme: 'light' })
    expect.soft(await barriers(page), `axe, light, ${path}`).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await lowContrast(page), `contrast, dark, ${path}`).toEqual([])
  }
})

/** Where Tab stops, from back to the tips, in CSS pixels: a row of the masthead is one line. */
async function stops(page: Page) {
  const masthead = page.locator('.masthead')
  await page.locator('[data-back]').focus()
  const found: { readonly x: number; readonly y: number }[] = []
  for (;;) {
    const focused = page.locator(':focus')
    const { x, y } = (await focused.boundingBox()) ?? { x: 0, y: 0 }
    const isInMasthead = (await masthead.locator(':focus').count()) > 0
    found.push({ x, y: isInMasthead ? 0 : y })
    if ((await focused.evaluate(({ localName }) => localName)) === 'summary') return found
    await page.keyboard.press('Tab')
  }
}

/** Two courses with a question each that has a word of their own, and somebody who learns in one. */
async function aScene(db: Database, word: string) {
  const here = await aCourse(db, { title: 'Arbours' })
  const question = await aQuestion(db, { course: here, title: `Paint for a ${word}`, tags: [word] })
  await aQuestion(db, { title: `Nails for a ${word}` })
  const learner = await aMember(db, here, 'learner')
  return { here, question, learner }
}

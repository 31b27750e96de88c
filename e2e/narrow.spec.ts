import type { Page } from 'playwright/test'
import type { Database } from '../src/database/schema.ts'
import { translatorOf } from '../src/messages/catalogue.ts'
import { aCourse, aMember, anAnswer, aPerson, aQuestion, aReply } from '../src/testing/builders.ts'
import { expect, test } from './forum.ts'
import { tooWide } from './inspection.ts'

const t = translatorOf('en')

/** Shorter than a title and a name may be, and each in its way too wide for a phone. */
const WIDE = {
  'one word': 'x'.repeat(50),
  'combining marks': `a${'\u0301\u0489'.repeat(24)}`,
  'joined emoji': `${'👩\u200d'.repeat(24)}👩`,
  'Hangul that makes one syllable': '\u1100'.repeat(50),
  'wide letters': '\uFDFD'.repeat(25),
  'blanks that do not break': 'x\u00a0'.repeat(24),
  'text from right to left': '\u2067مرحبا\u2069'.repeat(7),
}
const NESTED = [
  `${'> '.repeat(60)}the innermost quote`,
  `${Array.from({ length: 30 }, (_, level) => `${'  '.repeat(level)}- level ${level}`).join('\n')}`,
  `${'1. '.repeat(30)}the innermost number`,
  `${'> - '.repeat(15)}the innermost of both`,
  `| ${'wide | '.repeat(20)}\n|${'-|'.repeat(20)}\n| ${'cell | '.repeat(20)}`,
  `\`${'x'.repeat(500)}\`\n\n    ${'x'.repeat(500)}\n\nhttps://example.org/${'x'.repeat(500)}`,
].join('\n\n')

/** Of the narrowest windows, in CSS pixels. */
const WIDTHS = [320, 360]
const NARROWEST = { width: 320, height: 740 }

for (const [name, text] of Object.entries(WIDE)) {
  test(`nothing written with ${name} scrolls a page sideways`, async ({ as, db }) => {
    const { paths, author } = await writtenWith(db, text)
    const page = await as(author, { viewport: NARROWEST })
    for (const path of paths) {
      await page.goto(path)
      for (const width of WIDTHS) await expectNarrow(page, width, path)
    }
  })
}

test('what is nested deeply keeps room for its words', async ({ as, db }) => {
  const question = await aQuestion(db, { body: NESTED })
  const page = await as(null, { viewport: NARROWEST })
  await page.goto(`/questions/${question.id}`)
  for (const width of WIDTHS) {
    await expectNarrow(page, width, 'nested')
    for (const words of [
      'the innermost quote',
      'level 19',
      'the innermost number',
      'the innermost of both',
    ]) {
      const box = await page.locator('.prose :is(p, li)', { hasText: words }).last().boundingBox()
      expect.soft(box?.width, words).toBeGreaterThan(110)
      expect.soft((box?.x ?? width) + (box?.width ?? width), words).toBeLessThanOrEqual(width)
    }
  }
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('the tab one is on is in sight, although it is the last of those that scroll', async ({ as, db }) => {
    const course = await aCourse(db)
    const page = await as(await aMember(db, course, 'instructor'))
    for (const path of ['/questions?following=1', `/courses/${course.slug}/settings`]) {
      await page.goto(path)
      await expect(page.locator('.tabs [aria-current]').last()).toBeInViewport({ ratio: 1 })
    }
  })

  test('a visitor is told how to take part, what is followed shows without its word', async ({ as, db }) => {
    const course = await aCourse(db)
    const visitor = await as(null)
    await visitor.goto(`/courses/${course.slug}`)
    await expect(visitor.locator('.note a[href^="/sign-in"]')).toBeVisible()

    const page = await as(await aMember(db, course))
    await page.goto(`/courses/${course.slug}`)
    const follow = page.locator('.course-bar button')
    await expect(follow).toHaveAccessibleName(t('follows.followCourse'))
    await follow.click()
    await expect(follow).toHaveAccessibleName(t('follows.unfollowCourse'))
    await page.mouse.move(0, 0)
    const ground = () => follow.evaluate((button) => getComputedStyle(button).backgroundColor)
    const followed = await ground()
    await follow.click()
    await page.mouse.move(0, 0)
    await expect.poll(ground).not.toBe(followed)
  })
})

/** Everything somebody can write, and the pages that show it. */
async function writtenWith(db: Database, text: string) {
  const course = await aCourse(db, { title: text })
  const author = await aMember(db, course, 'learner', await aPerson(db, { displayName: text }))
  const question = await aQuestion(db, { course, author, title: text, body: text })
  const answer = await anAnswer(db, { question, author, body: text })
  await aReply(db, { answer, author, body: `> ${text}\n\n- ${text}\n\n# ${text}` })
  const paths = [
    '/',
    `/courses/${course.slug}`,
    `/questions/${question.id}`,
    `/questions/${question.id}/edit`,
  ]
  return { author, paths: [...paths, `/people/${author.id}`, `/answers/${answer.id}/edit`, '/settings'] }
}

/** Nothing of the open page reaches beyond a window of this width. */
async function expectNarrow(page: Page, width: number, path: string): Promise<void> {
  await page.setViewportSize({ ...NARROWEST, width })
  expect.soft(await tooWide(page), `${path}, ${width} pixels wide`).toEqual([])
  expect.soft(await scrolls(page), `${path}, ${width} pixels wide`).toBe(false)
}

/** Whether the page lets itself be scrolled to the side. */
async function scrolls(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    window.scrollTo({ left: 500, behavior: 'instant' })
    return window.scrollX > 0
  })
}

for (const locale of ['en-GB', 'ko-KR'])
  test(`a post’s acts are one row on a phone, and wrap at 320 pixels, in ${locale}`, async ({ as, db }) => {
    const course = await aCourse(db)
    const asker = await aMember(db, course)
    const question = await aQuestion(db, { course, author: asker })
    await anAnswer(db, { question })
    for (const reader of [asker, await aMember(db, course, 'assistant')]) {
      const page = await as(reader, { locale, viewport: { width: 390, height: 844 } })
      await page.goto(`/questions/${question.id}`)
      for (const row of await page.locator('.post > .acts').all()) {
        const middles = await row.locator('> *').evaluateAll((acts) =>
          acts
            .map((act) => act.getBoundingClientRect())
            .filter(({ width }) => width > 0)
            .map(({ top, height }) => Math.round(top + height / 2)),
        )
        expect(Math.max(...middles) - Math.min(...middles), String(middles)).toBeLessThanOrEqual(2)
      }
      await expectNarrow(page, 320, 'acts')
    }
  })

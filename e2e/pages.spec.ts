import type { Page, Response } from 'playwright/test'
import { markupMistakes } from '../src/testing/markup.ts'
import { type As, test as base, expect, type Forum } from './forum.ts'
import { barriers, DESK, lowContrast, PHONE, tooWide } from './inspection.ts'
import { PAGES } from './pages.ts'
import type { Shown } from './shown.ts'
import { aWorld, type World } from './world.ts'

/** These tests only look, so that those of a worker share one world. */
const test = base.extend<object, { world: World }>({
  world: [({ forum }, use) => aWorld(forum.db).then(use), { scope: 'worker' }],
})

for (const shown of PAGES) {
  test(`${shown.name}, for ${shown.reader}: valid, accessible in both themes, never too wide`, async ({
    as,
    forum,
    world,
  }) => {
    const { page, html } = await open(shown, as, forum, world)

    expect.soft(await markupMistakes(html)).toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    expect.soft(await barriers(page), 'axe, light').toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await lowContrast(page), 'contrast, dark').toEqual([])
    await page.setViewportSize(PHONE)
    expect.soft(await tooWide(page), 'wider than a phone').toEqual([])
    expect.soft(await barriers(page, ['color-contrast']), 'axe, phone').toEqual([])
  })
}

test.describe('in Korean', () => {
  test.use({ locale: 'ko-KR' })

  for (const shown of PAGES) {
    test(`${shown.name}, for ${shown.reader}: valid, never too wide`, async ({ as, forum, world }) => {
      const { page, html } = await open(shown, as, forum, world)

      await expect(page.locator('html')).toHaveAttribute('lang', 'ko')
      expect.soft(await markupMistakes(html)).toEqual([])
      await page.setViewportSize(PHONE)
      expect.soft(await tooWide(page), 'wider than a phone').toEqual([])
    })
  }
})

async function open(shown: Shown, as: As, forum: Forum, world: World): Promise<{ page: Page; html: string }> {
  const page = await as(shown.reader === 'visitor' ? null : world[shown.reader], { viewport: DESK })
  const answers: Response[] = []
  page.on('response', (response) => {
    if (response.request().isNavigationRequest()) answers.push(response)
  })
  await page.goto(await shown.path(world, forum))
  if (shown.act !== undefined) {
    const before = answers.length
    await shown.act(page)
    await expect.poll(() => answers.length).toBeGreaterThan(before)
    await page.waitForLoadState()
  }
  const last = answers.at(-1)
  expect(last?.status()).toBe(shown.status)
  return { page, html: (await last?.text()) ?? '' }
}

import AxeBuilder from '@axe-core/playwright'
import type { Page, Response } from 'playwright/test'
import { type As, test as base, expect, type Forum } from './forum.ts'
import { markupMistakes } from './markup.ts'
import { PAGES, type Shown } from './pages.ts'
import { aWorld, type World } from './world.ts'

/** WCAG 2.2 to level AA, and what axe knows beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const PHONE = { width: 360, height: 740 }
const DESK = { width: 1280, height: 900 }

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
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect.soft(await barriers(page), `axe, ${colorScheme}`).toEqual([])
    }
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

/** We have no frames, for which axe would open a second page each time. */
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode()

/** @param known rules that have been asked already; contrast takes as long as all others together */
async function barriers(page: Page, known: string[] = []): Promise<string[]> {
  const { violations } = await axe(page).withTags(RULES).disableRules(known).analyze()
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  )
}

/** What reaches beyond the page's edge, when the page scrolls sideways; not what scrolls inside something itself. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth <= width) return []
    const reachesOut = (element: Element) => element.getBoundingClientRect().right > width + 1
    const scrolls = (element: Element) => getComputedStyle(element).overflowX !== 'visible'
    const isInside = (element: Element | null): boolean =>
      element !== null && (scrolls(element) || isInside(element.parentElement))
    return [...document.querySelectorAll('body *')]
      .filter((element) => reachesOut(element) && !isInside(element))
      .map(
        (element) =>
          `${element.tagName.toLowerCase()}.${element.className}: ${element.textContent.slice(0, 30)}`,
      )
      .slice(0, 5)
  })
}

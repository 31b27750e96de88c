import AxeBuilder from '@axe-core/playwright'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright/test'

/** WCAG 2.2 to level AA, and what axe knows beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The narrowest and an ordinary window, in CSS pixels. */
export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 900 }

/** We have no frames, for which axe would open a second page each time. */
const axe = (page: Page) => new AxeBuilder({ page }).setLegacyMode()

/**
 * What axe finds wrong with the page as it stands; nothing when it is accessible.
 * @param known rules that have been asked already; contrast takes as long as all others together
 */
export async function barriers(page: Page, known: string[] = []): Promise<string[]> {
  return told(await axe(page).withTags(RULES).disableRules(known).analyze())
}

/** Texts whose contrast is too low: what other colours can change of what axe finds. */
export async function lowContrast(page: Page): Promise<string[]> {
  return told(await axe(page).withRules(['color-contrast']).analyze())
}

function told({ violations }: AxeResults): string[] {
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
  )
}

/** What reaches beyond the page’s edge, when the page scrolls sideways; not what scrolls inside something itself. */
export function tooWide(page: Page): Promise<string[]> {
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

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { RunOptions } from 'axe-core'
import { expect, type Page } from 'playwright/test'

/** WCAG 2.2 to level AA, and what axe knows beyond it. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Minified, it takes a page half as long to load. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The narrowest and an ordinary window, in CSS pixels. */
export const PHONE = { width: 360, height: 740 }
export const DESK = { width: 1280, height: 900 }

declare global {
  interface Window {
    axe: typeof axe
  }
}

/**
 * What axe finds wrong with the page as it stands; nothing when it is accessible.
 * @param known rules that have been asked already; contrast takes as long as all others together
 */
export function barriers(page: Page, known: readonly string[] = []): Promise<string[]> {
  const rules = Object.fromEntries(known.map((id) => [id, { enabled: false }]))
  return violations(page, { runOnly: { type: 'tag', values: RULES }, rules })
}

/** Texts whose contrast is too low: what other colours can change of what axe finds. */
export function lowContrast(page: Page): Promise<string[]> {
  return violations(page, { runOnly: ['color-contrast'] })
}

/** Loads axe once into each page, and has it tell only what is wrong: all that is right takes it longer to tell. */
async function violations(page: Page, asked: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  // We have no frames.
  const options: RunOptions = { ...asked, iframes: false, resultTypes: ['violations'] }
  return page.evaluate(async (chosen) => {
    // Colours on their way to others are nobody's choice.
    for (const animation of document.getAnimations())
      if (animation instanceof CSSTransition) animation.finish()
    // A floating button covers something else at each place of scrolling.
    for (const floating of document.querySelectorAll<HTMLElement>('.jump')) floating.style.position = 'static'
    const found = await window.axe.run(document, chosen)
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
    )
  }, options)
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

/** @param size of the window in which it mustn't be too wide, from now on */
export async function expectSound(page: Page, size = page.viewportSize()): Promise<void> {
  expect(await barriers(page)).toEqual([])
  if (size !== null) await page.setViewportSize(size)
  expect(await tooWide(page)).toEqual([])
}

/** Texts that stand a letter or two a line, as the column they are in is too narrow for a word; none where nothing is squeezed. */
export function squeezed(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: string[] = []
    const range = document.createRange()
    while (texts.nextNode() !== null && found.length < 5) {
      const text = texts.currentNode.textContent?.trim() ?? ''
      if (text.length < 5 || texts.currentNode.parentElement?.checkVisibility() !== true) continue
      range.selectNodeContents(texts.currentNode)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size >= 3 && text.length / lines.size < 4) found.push(text.slice(0, 30))
    }
    return found
  })
}

/**
 * Finds what would confuse someone who moves through a page by its headings, or hears its links and buttons out of their places: headings
 * that skip a level, other than one h1, links without a name, and names that two links or two buttons share which do different things.
 */
export function confusions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rendered = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility())
    const textOf = (element: Element) => {
      const copy = element.cloneNode(true) as Element
      for (const silent of copy.querySelectorAll('[aria-hidden="true"]')) silent.remove()
      return copy.textContent.replace(/\s+/g, ' ').trim()
    }
    const found: string[] = []
    const headings = rendered('h1, h2, h3, h4, h5, h6')
    const firsts = headings.filter(({ localName }) => localName === 'h1').map(textOf)
    if (firsts.length !== 1) found.push(`h1: ${firsts.join(' | ') || 'none'}`)
    let level = 0
    for (const heading of headings) {
      const own = Number(heading.localName.slice(1))
      if (own > level + 1) found.push(`h${level}, then ${heading.localName}: ${textOf(heading)}`)
      level = own
    }
    const deeds = new Map<string, string>()
    // Titles and names that people gave may be alike, also those of two courses.
    const isOfPeople = (address: string) =>
      /\/(?:(?:questions|announcements|people)\/\d+|courses\/[\w%-]+$|tags\/)/.test(address)
    const inAnyCourse = (address: string | undefined) =>
      address?.replace(/(\/courses\/|[?&]course=|\bcourse%3A)[\w%-]+/, '$1any')
    for (const [index, control] of rendered('a[href], button, summary').entries()) {
      // Names in a person's text are up to its author.
      if (control.closest('.prose') !== null) continue
      const name = control.getAttribute('aria-label') ?? textOf(control)
      const kind = control instanceof HTMLAnchorElement ? 'link' : 'button'
      const sent = control instanceof HTMLButtonElement && control.type === 'submit' ? control : null
      const does =
        control instanceof HTMLAnchorElement
          ? control.href
          : sent === null
            ? `control ${index}`
            : `${sent.formAction || sent.form?.action} ${sent.name}=${sent.value}`
      const key = `${kind} "${name}"`
      const other = deeds.get(key)
      // All long texts of the world are alike (world.ts).
      if (/(.)\1{7}/u.test(name)) continue
      if (name === '') found.push(`${kind} without a name: ${control.outerHTML.slice(0, 120)}`)
      else if (
        other !== undefined &&
        inAnyCourse(other) !== inAnyCourse(does) &&
        !(isOfPeople(other) && isOfPeople(does))
      )
        found.push(`${key}: ${other}, and ${does}`)
      deeds.set(key, does)
    }
    return [...new Set(found)].slice(0, 12)
  })
}

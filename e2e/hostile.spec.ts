import type { Page } from 'playwright/test'
import { aPerson } from '../src/testing/builders.ts'
import { hostileStrings } from '../src/testing/hostile-strings.ts'
import { expect, test } from './forum.ts'
import { type Shown, writeEverywhere } from './hostile-posts.ts'
import { intruders, intrudersIn } from './intruders.ts'

const STRINGS = hostileStrings()
/** Strings written under one question, in one test. */
const HEAP = 60
/** Of the pages that show one string, each fifth is opened; of the others the browser parses what the forum sends. */
const OPEN_EVERY = 5

for (let from = 0; from < STRINGS.length; from += HEAP) {
  const heap = STRINGS.slice(from, from + HEAP)

  test(`hostile strings from ${from} on are shown as text, and none runs`, async ({ as, db, forum }) => {
    const { course, target, shown } = await writeEverywhere(db, heap)
    const [page, visitor] = [await as(await aPerson(db)), await as(null)]
    const strange = [page, visitor].map((one) => strangersOf(one, forum.url))
    for (const path of [`/questions/${target.id}`, '/tags', '/']) await look(page, path)
    await lookThrough(page, `/courses/${course.slug}`)
    const paths = shown.map(pageOf)
    for (const path of paths.filter((_path, index) => index % OPEN_EVERY === 0))
      await look(path.startsWith('/sign-up') ? visitor : page, path)
    for (const reader of [page, visitor]) expect(await intrudersIn(reader, paths)).toEqual([])
    const asker = await as({ id: shown.at(-1)?.personId ?? 0 })
    await look(asker, '/settings')
    expect(strange.flat()).toEqual([])
  })
}

/** Each string on another of the pages that show it: as heading, as name, in an address. */
function pageOf({ questionId, personId, text }: Shown, index: number): string {
  if (index % 3 === 0) return `/questions/${questionId}`
  if (index % 3 === 1 && text.isWellFormed()) return `/sign-up?next=${encodeURIComponent(`/${text}`)}`
  return `/people/${personId}`
}

/** Opens a page; whatever the browser complains about fails the test in forum.ts. */
async function look(page: Page, path: string): Promise<void> {
  await page.goto(path)
  expect(await intruders(page), path).toEqual([])
}

/** A list, page after page, which shows each string as a title and as a name. */
async function lookThrough(page: Page, list: string): Promise<void> {
  await look(page, list)
  const next = page.locator('a[rel="next"]')
  while ((await next.count()) > 0) await look(page, (await next.getAttribute('href')) ?? '')
}

/** Requests to anybody else. */
function strangersOf(page: Page, url: string): string[] {
  const strange: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) strange.push(request.url())
  })
  return strange
}

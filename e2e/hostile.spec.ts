import type { Page } from 'playwright/test'
import { aCourse, aPerson, aQuestion } from '../src/testing/builders.ts'
import { hostileStrings } from '../src/testing/hostile-strings.ts'
import { expect, test } from './forum.ts'
import { type Posted, postEverywhere } from './hostile-posts.ts'
import { intruders } from './intruders.ts'

const STRINGS = hostileStrings()
/** Strings written under one question, in one test. */
const HEAP = 60
const AT_ONCE = 3
/** Of the pages that show one string, each fifth is opened; of the others the browser parses what the forum sends. */
const OPEN_EVERY = 5

for (let from = 0; from < STRINGS.length; from += HEAP) {
  const heap = STRINGS.slice(from, from + HEAP)

  test(`hostile strings from ${from} on are kept literally or refused, and none runs`, async ({
    as,
    forum,
  }) => {
    test.slow()
    const course = await aCourse(forum.db)
    const target = await aQuestion(forum.db, { course })
    const posted: Posted[] = []
    for (let at = 0; at < heap.length; at += AT_ONCE) {
      const some = heap.slice(at, at + AT_ONCE)
      posted.push(...(await Promise.all(some.map((text) => postEverywhere(forum, course, target, text)))))
    }

    const page = await as(await aPerson(forum.db))
    const strange = strangersOf(page, forum.url)
    for (const path of [`/questions/${target.id}`, '/tags', '/']) await look(page, path)
    await lookThrough(page, `/courses/${course.slug}`)
    for (const [index, one] of posted.entries()) {
      const path = pageOf(one, index)
      if (index % OPEN_EVERY === 0) await look(page, path)
      else expect(await intruders(page, path), path).toEqual([])
    }
    const asker = await as({ id: posted.at(-1)?.personId ?? 0 })
    await look(asker, '/settings')
    expect(strange).toEqual([])
  })
}

/** Each string on another of the pages that show it: as heading, as name, in an address. */
function pageOf({ questionPath, personId, text }: Posted, index: number): string {
  if (index % 3 === 0 && questionPath !== null) return questionPath
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

import type { Page } from 'playwright/test'
import { aMember, aPerson } from '../src/testing/builders.ts'
import { questionPath } from '../src/web/paths.ts'
import { expect, type Forum, MOVING, test } from './forum.ts'
import { aWorld } from './world.ts'

test.use(MOVING)

/** Nothing moves once it is drawn, and a list has room for as many rows as it was drawn for. */
for (const viewport of [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`nothing moves while a page loads, ${viewport.width} pixels wide`, async ({ as, db }) => {
    const { course, question, asker } = await aWorld(db)
    const page = await as(asker, { viewport })
    const paths = [
      '/',
      `/courses/${course.slug}`,
      questionPath(question),
      `/questions/new?course=${course.slug}`,
      '/questions?following=1',
      '/search?q=put',
      '/settings',
    ]
    const cache = await page.context().newCDPSession(page)
    // On a busy machine Chromium paints a page of which it has read a part. What moves by itself moves each time.
    for (const path of paths)
      await expect(async () => {
        await cache.send('Network.clearBrowserCache')
        await page.goto(path, { waitUntil: 'networkidle' })
        expect(await shifts(page), path).toEqual([])
      }).toPass({ timeout: 120_000 })
  })
}

test.describe('of the sample course', () => {
  test.use({ viewport: { width: 1280, height: 900 } })

  test('nine rows end within 900 pixels', async ({ as, db, forum }) => {
    const page = await as(await aMember(db, await sampleCourse(forum)))
    await page.goto(`/courses/${forum.course}`)
    const ends = await page
      .locator('.question-row')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().bottom))
    expect(ends.filter((end) => end <= 900).length).toBeGreaterThanOrEqual(9)
  })
})

for (const [reducedMotion, moving] of [
  ['no-preference', 1],
  ['reduce', 0],
] as const) {
  test.describe(`motion: ${reducedMotion}`, () => {
    test.use({ contextOptions: { reducedMotion } })

    test(`${moving} thing moves when a menu opens`, async ({ as, db }) => {
      const page = await as(await aPerson(db))
      await page.goto('/')
      const moves = page.locator('details.menu:has(> .sheet)').evaluateAll(([menu]) => {
        menu?.setAttribute('open', '')
        return document.getAnimations().length
      })
      expect(await moves).toBe(moving)
    })
  })
}

/** What moved on a page, and from where to where in pixels: the browser kept it. */
function shifts(page: Page): Promise<string[]> {
  return page.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const moved: string[] = []
        const at = ({ x, y, width, height }: DOMRectReadOnly) =>
          [x, y, width, height].map(Math.round).join(' ')
        const observer = new PerformanceObserver((list) => {
          for (const { sources } of list.getEntries() as LayoutShift[])
            for (const { node, previousRect, currentRect } of sources)
              moved.push(
                `${node instanceof Element ? node.outerHTML.slice(0, 120) : node?.textContent}: ${at(previousRect)} to ${at(currentRect)}`,
              )
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // What it kept comes in a task of its own.
        // biome-ignore lint/plugin: that nothing more moves can't be waited for
        setTimeout(() => resolve(moved), 200)
      }),
  )
}

/** Chromium's (Layout Instability API), which TypeScript's types of browsers do not declare. */
interface LayoutShift extends PerformanceEntry {
  readonly sources: readonly {
    readonly node: Node | null
    readonly previousRect: DOMRectReadOnly
    readonly currentRect: DOMRectReadOnly
  }[]
}

function sampleCourse({ db, course }: Forum) {
  return db.selectFrom('courses').select('id').where('slug', '=', course).executeTakeFirstOrThrow()
}

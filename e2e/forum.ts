import {
  type BrowserContext,
  type BrowserContextOptions,
  test as base,
  expect,
  type Page,
} from 'playwright/test'
import { beginSession } from '../src/accounts/sessions/sessions.ts'
import { connect } from '../src/database/connection.ts'
import type { Database } from '../src/database/schema.ts'
import { loadSample } from '../src/operating/sample/sample.ts'
import { ensureFilled, ensureTemplate } from '../src/testing/template.ts'
import { startOnCopy } from './forum-process.ts'
import { watch } from './watch.ts'
import { type Given, type Window, type Windows, windowsOf } from './windows.ts'

/** A running forum with the sample course, for the tests of one worker; each makes its own people and questions. */
export interface Forum {
  readonly url: string
  readonly db: Database
  /** The slug of the sample course. */
  readonly course: string
  log(): string
}

/**
 * Opens a window of a person's own, signed in; null: a visitor's.
 * @param options `isChanged`: the test adds scripts, permissions or devices to it, which nothing takes out again
 */
export type As = (
  person: { readonly id: number } | null,
  options?: BrowserContextOptions & { readonly isChanged?: boolean },
) => Promise<Page>

/** Every test of the journeys fails when a browser complained about anything: a script, a policy, a missing file. */
export const test = base.extend<
  { as: As; db: Database; log: null; given: Given },
  { forum: Forum; windows: Windows }
>({
  forum: [
    // biome-ignore lint/correctness/noEmptyPattern: playwright reads the names a fixture needs from this pattern
    async ({}, use) => {
      const { stop, ...forum } = await startOnCopy(ensureSample)
      const { slug } = await forum.db.selectFrom('courses').select('slug').executeTakeFirstOrThrow()
      await use({ ...forum, course: slug })
      await stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],

  baseURL: ({ forum }, use) => use(forum.url),

  db: ({ forum }, use) => use(forum.db),

  context: async ({ context }, use) => {
    const { complaints } = watch(context)
    await use(context)
    expect(complaints).toEqual([])
  },

  log: [
    async ({ forum }, use, testInfo) => {
      const begun = forum.log().length
      await use(null)
      const log = forum.log().slice(begun)
      if (testInfo.status !== testInfo.expectedStatus && log !== '') {
        await testInfo.attach('the forum’s log', { body: log, contentType: 'text/plain' })
      }
    },
    { auto: true },
  ],

  windows: [({ browser, forum }, use) => use(windowsOf(browser, forum.url)), { scope: 'worker' }],

  // Playwright hands over only what is named.
  given: (
    {
      colorScheme,
      contextOptions,
      deviceScaleFactor,
      hasTouch,
      isMobile,
      javaScriptEnabled,
      locale,
      viewport,
    },
    use,
  ) => {
    const touched = { deviceScaleFactor, hasTouch, isMobile, viewport }
    return use({ colorScheme, contextOptions, javaScriptEnabled, locale, ...touched })
  },

  as: async ({ windows, given, forum }, use, testInfo) => {
    const [taken, changed]: [Window[], Window[]] = [[], []]
    await use(async (person, { isChanged = false, ...options } = {}) => {
      const window = await windows.take(given, options)
      ;(isChanged ? changed : taken).push(window)
      if (person !== null) await signIn(window.context, forum, person)
      return window.page
    })
    const hasFailed = testInfo.status !== testInfo.expectedStatus
    await windows.close(hasFailed ? [...taken, ...changed] : changed)
    if (!hasFailed) await windows.giveBack(taken)
    expect([...taken, ...changed].flatMap(({ complaints }) => complaints())).toEqual([])
  },
})

export { expect }

/** For `test.use()`: pages move as for most people. Elsewhere nothing does, see playwright.config.ts. */
export const MOVING = { contextOptions: { reducedMotion: 'no-preference' } } as const

/** A database with the sample course, to copy: made once for all workers. @returns its name */
async function ensureSample(serverUrl: string): Promise<string> {
  return ensureFilled(serverUrl, 'journeys', await ensureTemplate(serverUrl), async (url) => {
    const db = connect(url)
    await loadSample(db).finally(() => db.destroy())
  })
}

/** Begins a session for a person without the form, which sign-in.spec.ts tries. */
export async function signIn(
  context: BrowserContext,
  forum: Forum,
  person: { readonly id: number },
): Promise<void> {
  const value = await beginSession(forum.db, person.id, 'a browser test')
  await context.addCookies([{ name: 'session', value, url: forum.url, httpOnly: true, sameSite: 'Lax' }])
}

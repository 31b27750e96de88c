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
import { useTestServer } from '../src/testing/server.ts'
import { copyTemplate, dropDatabase, ensureTemplate, urlOf } from '../src/testing/template.ts'
import { startForum } from './forum-process.ts'
import { watch } from './watch.ts'

/** A running forum with the sample course, for the tests of one worker; each makes its own people and questions. */
export interface Forum {
  readonly url: string
  readonly db: Database
  /** The slug of the sample course. */
  readonly course: string
  log(): string
}

/** Opens a window of a person's own, signed in; null: a visitor's. */
export type As = (person: { readonly id: number } | null, options?: BrowserContextOptions) => Promise<Page>

/** Every test of the journeys fails when a browser complained about anything: a script, a policy, a missing file. */
export const test = base.extend<{ as: As; log: null }, { forum: Forum }>({
  forum: [
    // biome-ignore lint/correctness/noEmptyPattern: playwright reads the names a fixture needs from this pattern
    async ({}, use) => {
      const server = await useTestServer()
      const name = await copyTemplate(server.url, await ensureTemplate(server.url))
      const url = urlOf(server.url, name)
      const db = connect(url)
      const { slug } = await loadSample(db)
      const forum = await startForum(url)
      await use({ url: forum.url, db, course: slug, log: forum.log })
      await forum.stop()
      await db.destroy()
      await dropDatabase(server.url, name)
      await server.stop()
    },
    { scope: 'worker', timeout: 180_000 },
  ],

  baseURL: ({ forum }, use) => use(forum.url),

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

  as: async ({ browser, forum }, use) => {
    const windows: { context: BrowserContext; complaints: readonly string[] }[] = []
    await use(async (person, options) => {
      const context = await browser.newContext({ baseURL: forum.url, ...options })
      windows.push({ context, ...watch(context) })
      if (person !== null) await signIn(context, forum, person)
      return context.newPage()
    })
    for (const { context } of windows) await context.close()
    expect(windows.flatMap(({ complaints }) => complaints)).toEqual([])
  },
})

export { expect }

/** Begins a session for a person without the form, which sign-in.spec.ts tries. */
export async function signIn(
  context: BrowserContext,
  forum: Forum,
  person: { readonly id: number },
): Promise<void> {
  const value = await beginSession(forum.db, person.id, 'a browser test')
  await context.addCookies([{ name: 'session', value, url: forum.url, httpOnly: true, sameSite: 'Lax' }])
}

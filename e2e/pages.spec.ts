import type { BrowserContext, Page, Response, ViewportSize } from 'playwright/test'
import { beginSession } from '../src/accounts/sessions/sessions.ts'
import { markupMistakes } from '../src/testing/markup.ts'
import { type As, test as base, expect, type Forum, signIn } from './forum.ts'
import { barriers, confusions, DESK, lowContrast, PHONE, squeezed, tooWide } from './inspection.ts'
import { once } from './once.ts'
import { PAGES } from './pages.ts'
import { misdirectedKeys } from './sending-keys.ts'
import type { Shown } from './shown.ts'
import { watch } from './watch.ts'
import { aWorld, type World } from './world.ts'

/** Together the pages of one reader, whose window the next test can use. */
const SHOWN = PAGES.toSorted((one, other) => one.reader.localeCompare(other.reader))

interface KeptWindow {
  /** Who reads, in which language. */
  readonly whose: string
  readonly context: BrowserContext
  readonly page: Page
  readonly complaints: readonly string[]
}

/** The window of the last reader. */
const kept: KeptWindow[] = []

/** Forms whose keys were tried: many pages have the same ones. */
const triedForms = new Set<string>()

const worldOf = once(({ db }: Forum) => aWorld(db))

/** These tests only look, so that those of a worker share one world, and those of one reader one window. */
const test = base.extend<{ look: As; world: World }>({
  world: ({ forum }, use) => worldOf(forum).then(use),

  look: async ({ browser, forum, locale }, use) => {
    let heard = 0
    const openWindow = async (person: Parameters<As>[0], whose: string): Promise<KeptWindow> => {
      await kept.pop()?.context.close()
      const context = await browser.newContext({ baseURL: forum.url })
      const { complaints } = watch(context)
      if (person !== null) await signIn(context, forum, person)
      const opened = { whose, context, page: await context.newPage(), complaints }
      kept.push(opened)
      return opened
    }
    await use(async (person, { viewport } = {}) => {
      const whose = `${person?.id ?? 'visitor'} ${locale}`
      const [last] = kept
      const { page, complaints } = last?.whose === whose ? last : await openWindow(person, whose)
      heard = complaints.length
      await page.setViewportSize(viewport ?? DESK)
      return page
    })
    expect(kept[0]?.complaints.slice(heard) ?? []).toEqual([])
  },
})

for (const shown of SHOWN) {
  test(`${shown.name}, for ${shown.reader}: valid, accessible in both themes, never too wide, sent by keys`, async ({
    as,
    look,
    forum,
    world,
  }) => {
    const { page, html } = await open(shown, { as, look }, DESK, forum, world)

    expect.soft(await markupMistakes(html)).toEqual([])
    expect.soft(await squeezed(page), 'squeezed').toEqual([])
    if (!isCatalogue(page)) expect.soft(await confusions(page), 'out of place').toEqual([])
    await page.emulateMedia({ colorScheme: 'light' })
    expect.soft(await barriers(page), 'axe, light').toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect.soft(await lowContrast(page), 'contrast, dark').toEqual([])
    await page.setViewportSize(PHONE)
    expect.soft(await tooWide(page), 'wider than a phone').toEqual([])
    expect.soft(await squeezed(page), 'squeezed on a phone').toEqual([])
    expect.soft(await barriers(page, ['color-contrast']), 'axe, phone').toEqual([])
    if (!isCatalogue(page))
      expect.soft(await misdirectedKeys(page, triedForms), 'Enter and Ctrl+Enter').toEqual([])
  })
}

test.describe('in Korean', () => {
  test.use({ locale: 'ko-KR' })

  for (const shown of SHOWN) {
    test(`${shown.name}, for ${shown.reader}: valid, never too wide`, async ({ as, look, forum, world }) => {
      const { page, html } = await open(shown, { as, look }, PHONE, forum, world)

      await expect(page.locator('html')).toHaveAttribute('lang', 'ko')
      expect.soft(await markupMistakes(html)).toEqual([])
      expect.soft(await tooWide(page), 'wider than a phone').toEqual([])
      if (!isCatalogue(page)) expect.soft(await confusions(page), 'out of place').toEqual([])
    })
  }
})

test('no page has the title of another, in either language', async ({ forum, world }) => {
  for (const language of ['en', 'ko']) {
    const shared = [...(await addressesByTitle(forum, world, language))].filter(([, { size }]) => size > 1)
    expect(shared.map(([title, addresses]) => `${title}: ${[...addresses].join(', ')}`)).toEqual([])
  }
})

/** It shows each component several times, in forms that lead nowhere. */
const isCatalogue = (page: Page) => new URL(page.url()).pathname === '/design'

/** Addresses by title, of all pages that are read as they come; without the titles that the long texts of the world have in common. */
async function addressesByTitle(
  forum: Forum,
  world: World,
  language: string,
): Promise<Map<string, Set<string>>> {
  const addresses = new Map<string, Set<string>>()
  for (const { reader, path } of SHOWN.filter(({ status, act }) => status === 200 && act === undefined)) {
    const cookie =
      reader === 'visitor' ? '' : `session=${await beginSession(forum.db, world[reader].id, 'titles')}`
    const address = await path(world, forum)
    const page = await fetch(forum.url + address, { headers: { cookie, 'accept-language': language } })
    const title = /<title>([^<]*)/.exec(await page.text())?.[1] ?? ''
    if (/(.)\1{7}/u.test(title)) continue
    // The bar of a course that someone came from makes no other page of their settings, nor a course that a question can't move to.
    const own = address.replace(/(^\/settings|\/move)\?course=.*/, '$1')
    addresses.set(title, (addresses.get(title) ?? new Set()).add(own))
  }
  return addresses
}

/** What is done on a page may change what the reader's browser keeps: it gets a window of its own. */
async function open(
  shown: Shown,
  windows: { readonly as: As; readonly look: As },
  viewport: ViewportSize,
  forum: Forum,
  world: World,
): Promise<{ page: Page; html: string }> {
  const person = shown.reader === 'visitor' ? null : world[shown.reader]
  const openWindow = shown.act === undefined ? windows.look : windows.as
  const page = await openWindow(person, { viewport })
  const answers: Response[] = []
  const onResponse = (response: Response) => {
    if (response.request().isNavigationRequest()) answers.push(response)
  }
  page.on('response', onResponse)
  await page.goto(await shown.path(world, forum))
  if (shown.act !== undefined) {
    const before = answers.length
    await shown.act(page)
    // A dialog opens without an answer; one may be left for what is sent from it.
    const dialog = page.locator('dialog:modal')
    const isOpen = async () => shown.status === 200 && (await dialog.count()) > 0
    await expect.poll(async () => answers.length > before || (await isOpen())).toBe(true)
    await page.waitForLoadState()
  }
  page.off('response', onResponse)
  const last = answers.at(-1)
  expect(last?.status()).toBe(shown.status)
  return { page, html: (await last?.text()) ?? '' }
}

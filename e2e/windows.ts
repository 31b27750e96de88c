import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
  PlaywrightTestOptions,
} from 'playwright/test'
import { watch } from './watch.ts'

/** A window of the browser that one test after the other uses. */
export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained about in it since it was taken. */
  complaints(): readonly string[]
}

/** What tests set by test.use(), which playwright gives to each window that is opened. */
export type Given = Pick<
  PlaywrightTestOptions,
  | 'colorScheme'
  | 'contextOptions'
  | 'deviceScaleFactor'
  | 'hasTouch'
  | 'isMobile'
  | 'javaScriptEnabled'
  | 'locale'
  | 'viewport'
>

interface KeptWindow extends Window {
  /** Windows of the same options do for the same tests; size and colours can be changed. */
  readonly kind: string
  readonly devtools: CDPSession
  isTaken: boolean
  /** Complaints before it was taken. */
  heard: number
}

/** The windows of one worker. */
export interface Windows {
  take(given: Given, options: BrowserContextOptions): Promise<Window>
  /** Makes them as new, so that the next test can take them. */
  giveBack(windows: readonly Window[]): Promise<void>
  /** Closes windows that a test changed for good. */
  close(windows: readonly Window[]): Promise<void>
}

/** Of any options; each is a process of some 60 MB. */
const MAX_WINDOWS = 12

/**
 * Opening a window takes Chromium as long as three pages: those of a worker are used again.
 * @param baseURL of the forum, the only site they see
 */
export function windowsOf(browser: Browser, baseURL: string): Windows {
  const kept: KeptWindow[] = []

  async function close(windows: readonly Window[]): Promise<void> {
    for (const window of windows) {
      const index = kept.findIndex(({ context }) => context === window.context)
      if (index !== -1) kept.splice(index, 1)
      await window.context.close()
    }
  }

  async function open(options: BrowserContextOptions, kind: string): Promise<KeptWindow> {
    const context = await browser.newContext({ ...options, baseURL })
    const { complaints } = watch(context)
    const page = await context.newPage()
    const window: KeptWindow = {
      ...{ page, context, kind, isTaken: true, heard: 0 },
      devtools: await context.newCDPSession(page),
      complaints: () => complaints.slice(window.heard),
    }
    kept.push(window)
    return window
  }

  return {
    close,
    async take(given, options) {
      const { viewport, colorScheme, ...fixed } = { ...given, ...options }
      const kind = JSON.stringify(fixed)
      const window = kept.find((one) => one.kind === kind && !one.isTaken)
      if (window === undefined) return open(options, kind)
      window.isTaken = true
      window.heard += window.complaints().length
      await window.page.emulateMedia({ colorScheme: colorScheme ?? null })
      if (viewport) await window.page.setViewportSize(viewport)
      return window
    },
    async giveBack(windows) {
      for (const window of kept.filter((one) => windows.includes(one))) {
        await clear(window)
        window.isTaken = false
        // The one used last stays longest.
        kept.push(...kept.splice(kept.indexOf(window), 1))
      }
      await close(kept.filter(({ isTaken }) => !isTaken).slice(0, Math.max(0, kept.length - MAX_WINDOWS)))
    },
  }
}

/** What a page, a site or a test can leave in a window; what else a test changes there asks for one of its own. */
async function clear({ page, context, devtools }: KeptWindow): Promise<void> {
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll()
  // A page of the same site, so that the browser keeps its process.
  await page.goto('/healthz')
  await context.clearCookies()
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await devtools.send('Page.resetNavigationHistory')
  await page.mouse.move(0, 0)
}

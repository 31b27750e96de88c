import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { findChromium } from '../../testing/chromium.ts'

/**
 * `npm run screenshots -- URL LEARNER INSTRUCTOR`: takes the pictures of docs/screenshots from a forum with the sample course. The
 * links are those that its start prints: without the last its pictures stay as they are. `npm run screenshots -- URL
 * --simulated INSTRUCTOR` takes those of desk and figures, from a forum with a simulated course alone. With `--korean`, of a forum
 * that began with `SAMPLE=ko`, one of each goes into docs/screenshots/ko. The machine needs a font with Korean letters.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { simulated: { type: 'string' }, korean: { type: 'boolean', default: false } },
})
const [base = 'http://127.0.0.1:3000', learner, instructor] = positionals
const { simulated, korean } = values

const FOLDER = join(import.meta.dirname, '../../../docs/screenshots', korean ? 'ko' : '')
const WIDE = { width: 1280, height: 900 } as const
const SIZES = [WIDE, { width: 390, height: 844 }] as const
const THEMES = ['light', 'dark'] as const
/** Of WebP, 0 to 1: letters stay sharp, and a picture has about 40 KB. */
const QUALITY = 0.82

type Reader = 'visitor' | 'learner' | 'instructor' | 'simulated'

interface Picture {
  readonly name: string
  readonly reader: Reader
  /** Goes to what is pictured. */
  readonly open: (page: Page) => Promise<unknown>
  /** All of the page, not only what the window shows. */
  readonly isWhole?: true
}

const PICTURES: readonly Picture[] = [
  { name: 'list', reader: 'learner', open: (page) => page.goto('/') },
  { name: 'question', reader: 'learner', open: openQuestion },
  { name: 'ask', reader: 'learner', open: (page) => page.goto('/questions/new') },
  { name: 'search', reader: 'learner', open: (page) => page.goto('/search?q=put') },
  { name: 'profile', reader: 'learner', open: openProfile },
  { name: 'sign-in', reader: 'visitor', open: (page) => page.goto('/sign-in') },
  ...['settings', 'lectures', 'members', 'faq'].map(
    (name): Picture => ({ name, reader: 'instructor', open: (page) => openOfCourse(page, name) }),
  ),
  { name: 'desk', reader: 'simulated', open: (page) => openOfCourse(page, 'desk') },
  { name: 'figures', reader: 'simulated', open: (page) => openOfCourse(page, 'figures'), isWhole: true },
]

const path = await findChromium()
if (path === null) throw new Error('There is no Chromium here: npm test installs one')
const browser = await chromium.launch({
  executablePath: path,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
})
const contexts: Record<Reader, BrowserContext> = {
  visitor: await signedIn(browser, undefined),
  learner: await signedIn(browser, learner),
  instructor: await signedIn(browser, instructor),
  simulated: await signedIn(browser, simulated),
}
for (const picture of PICTURES) if (isTaken(picture)) await take(picture)
await browser.close()

function isTaken({ reader }: Picture): boolean {
  if (simulated !== undefined) return reader === 'simulated'
  return reader !== 'simulated' && (reader !== 'instructor' || instructor !== undefined)
}

async function signedIn(from: Browser, link: string | undefined): Promise<BrowserContext> {
  const context = await from.newContext({
    baseURL: base,
    locale: korean ? 'ko-KR' : 'en-GB',
    timezoneId: 'Asia/Seoul',
  })
  if (link === undefined) return context
  const page = await context.newPage()
  await page.goto(link)
  await page.locator('main button').first().click()
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
  await page.close()
  return context
}

async function take({ name, reader, open, isWhole }: Picture): Promise<void> {
  const page = await contexts[reader].newPage()
  // The instructor's guide shows one picture of each page.
  const isOne = reader === 'instructor' || korean
  for (const size of isOne ? [WIDE] : SIZES) {
    await page.setViewportSize(size)
    await open(page)
    for (const theme of isOne ? (['light'] as const) : THEMES) {
      await page.emulateMedia({ colorScheme: theme })
      // What fades from one theme to the other has come to rest.
      await page.waitForTimeout(300)
      const file = join(FOLDER, `${name}-${size.width}-${theme}.webp`)
      await writeFile(file, await asWebp(await page.screenshot({ fullPage: isWhole === true })))
      console.log(file)
    }
  }
  await page.close()
}

/** A blank page of the browser draws the picture and encodes it. */
async function asWebp(png: Buffer): Promise<Buffer> {
  const page = await contexts.visitor.newPage()
  const encoded = await page.evaluate(
    async ({ source, quality }) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.width = image.naturalWidth
      canvas.height = image.naturalHeight
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', quality)
    },
    { source: `data:image/png;base64,${png.toString('base64')}`, quality: QUALITY },
  )
  await page.close()
  return Buffer.from(encoded.slice(encoded.indexOf(',') + 1), 'base64')
}

/** A page of the course: it is the only one. */
async function openOfCourse(page: Page, name: string): Promise<void> {
  await page.goto('/courses')
  await page.goto(`${await page.locator('main h2 a').first().getAttribute('href')}/${name}`)
}

/** The question with the most votes. */
async function openQuestion(page: Page): Promise<void> {
  await page.goto('/questions?sort=votes')
  await page.goto((await page.locator('.question-row h2 a').first().getAttribute('href')) ?? '/')
}

/** Whoever answered it first. */
async function openProfile(page: Page): Promise<void> {
  await openQuestion(page)
  await page.goto((await page.locator('.answer .byline .person').first().getAttribute('href')) ?? '/')
}

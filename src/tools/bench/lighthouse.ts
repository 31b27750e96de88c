import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium as launcher } from 'playwright'
import { z } from 'zod'
import { beginSession } from '../../accounts/sessions/sessions.ts'
import { findChromium } from '../../testing/chromium.ts'
import { runCommand } from '../../testing/command.ts'
import { row, table } from '../../text/markdown-table.ts'
import { personPath } from '../../web/paths.ts'
import { machineSection } from './machine.ts'
import { type BenchContext, withBenchContext } from './speed/context.ts'
import { temporaryFolder } from './speed/processes.ts'

/** Not a dependency, because its tree is 176 MB. npm keeps it in its cache after the first run. */
const LIGHTHOUSE = 'lighthouse@13.5.0'

const QUESTIONS_COUNT = 1000

/** A page to audit, and whose session; without one, a visitor's. */
interface Page {
  readonly name: string
  readonly path: string
  readonly session?: string
}

const THEMES = ['light', 'dark'] as const

/** A page in one of the two themes. */
interface ThemedPage extends Page {
  readonly theme: (typeof THEMES)[number]
}

const audit = z.object({
  id: z.string(),
  title: z.string(),
  score: z.number().nullable(),
  scoreDisplayMode: z.string(),
  displayValue: z.string().optional(),
})
const report = z.object({
  categories: z.record(
    z.string(),
    z.object({
      title: z.string(),
      score: z.number().nullable(),
      auditRefs: z.array(z.object({ id: z.string(), weight: z.number() })),
    }),
  ),
  audits: z.record(z.string(), audit),
})
type Report = z.infer<typeof report>

const METRICS = {
  'first-contentful-paint': 'first paint',
  'largest-contentful-paint': 'largest paint',
  'total-blocking-time': 'blocked',
  'cumulative-layout-shift': 'layout shift',
  'total-byte-weight': 'weight',
}

/**
 * Lighthouse's scores of pages in both themes on a slow phone, as a section of Markdown.
 * @throws Error without a Chromium
 */
export async function lighthouseSection(server: string | null, say: (line: string) => void): Promise<string> {
  const chromium = await findChromium()
  if (chromium === null) throw new Error('There is no Chromium here: npm test installs one')
  const options = { sizes: [QUESTIONS_COUNT], server, seconds: 1, rounds: 1, minutes: 1, writes: 1, only: [] }
  return withBenchContext(QUESTIONS_COUNT, options, say, async (context) => {
    const reports: (readonly [ThemedPage, Report])[] = []
    for (const page of await pagesOf(context)) {
      reports.push([page, await ask(context, chromium, page)])
      say(`${page.name}: ${scoresOf(reports.at(-1)?.[1]).join(' ')}`)
    }
    return sectionOf(await machineSection(context.db), reports)
  })
}

async function pagesOf({ db, traffic, people }: BenchContext): Promise<ThemedPage[]> {
  const { id } = people[0] ?? { id: 0 }
  const session = await beginSession(db, id, 'Lighthouse')
  const { display_name: displayName } = await db
    .selectFrom('people')
    .select('display_name')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const pages: Page[] = [
    { name: 'list', path: '/questions' },
    { name: 'question', path: traffic.questions[0] ?? '/' },
    { name: 'ask (signed in)', path: '/questions/new?course=course-1', session },
    { name: 'search', path: '/search' },
    { name: 'results of a search, which search engines are told to leave out', path: '/search?q=list' },
    { name: 'sign-in', path: '/sign-in' },
    { name: 'profile', path: personPath({ id, displayName }) },
  ]
  return pages.flatMap((page) => THEMES.map((theme) => ({ ...page, name: `${page.name}, ${theme}`, theme })))
}

async function ask(context: BenchContext, chromium: string, page: ThemedPage): Promise<Report> {
  const { end, forum } = context
  const folder = await temporaryFolder(end)
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'report.json')
  const profile = await profileOf(context, chromium, page)
  const about = ['--output=json', `--output-path=${file}`, '--disable-storage-reset', '--quiet']
  const flags = `--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage --user-data-dir=${profile}`
  const command = ['exec', '--yes', '--package', LIGHTHOUSE, '--', 'lighthouse', `${forum.url}${page.path}`]
  const run = () =>
    runCommand('npm', [...command, ...about, flags], { environment: { CHROME_PATH: chromium } })
  let ended = await run()
  // A browser on a busy machine may begin its trace too late, which is no fault of the page.
  for (let again = 0; again < 2 && ended.code !== 0; again += 1) ended = await run()
  if (ended.code !== 0) throw new Error(`lighthouse: ${ended.output}`)
  return report.parse(JSON.parse(await readFile(file, 'utf8')))
}

/** The folder of a browser that has the cookies of the page's reader: headers would not go along with its streams. */
async function profileOf(
  { end, forum, db, people }: BenchContext,
  chromium: string,
  { session, theme }: ThemedPage,
): Promise<string> {
  // Who is signed in has the theme in the settings, a visitor in a cookie.
  await db
    .updateTable('people')
    .set({ theme })
    .where('id', '=', people[0]?.id ?? 0)
    .execute()
  const folder = await temporaryFolder(end)
  const browser = await launcher.launchPersistentContext(folder, {
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu'],
  })
  const cookie = session === undefined ? { name: 'theme', value: theme } : { name: 'session', value: session }
  const expires = Math.floor(Date.now() / 1000) + 3600
  await browser.addCookies([{ ...cookie, url: forum.url, expires }])
  await browser.close()
  return folder
}

function sectionOf(machine: string, reports: readonly (readonly [Page, Report])[]): string {
  const categories = Object.values(reports[0]?.[1].categories ?? {}).map(({ title }) => title)
  const metrics = Object.keys(METRICS)
  const misses = reports.flatMap(([page, told]) => missesOf(told).map((miss) => `- ${page.name}: ${miss}`))
  return [
    `Written by \`npm run bench -- lighthouse\` with ${LIGHTHOUSE}, which stands for a phone on a slow network (a fourth of the processor, 1.6 Mbit/s, 150 ms), on a generated forum of ${QUESTIONS_COUNT.toLocaleString('en')} questions.`,
    machine,
    table(
      ['', ...categories],
      reports.map(([{ name }, told]) => row(name, ...scoresOf(told))),
    ),
    table(
      ['', ...Object.values(METRICS)],
      reports.map(([{ name }, { audits }]) =>
        row(
          name,
          ...metrics.map((metric) => audits[metric]?.displayValue?.replace('Total size was ', '') ?? '–'),
        ),
      ),
    ),
    misses.length === 0 ? 'Nothing was found wanting.' : `Found wanting:\n\n${misses.join('\n')}`,
  ].join('\n\n')
}

/** Of a hundred; –: no audit of the category applies to the page. */
function scoresOf(told: Report | undefined): string[] {
  return Object.values(told?.categories ?? {}).map(({ score }) =>
    score === null ? '–' : String(Math.round(score * 100)),
  )
}

/** Failed audits, by category. */
function missesOf({ categories, audits }: Report): string[] {
  return Object.values(categories).flatMap(({ title, auditRefs }) =>
    auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${title}: ${audits[id]?.title ?? id}`),
  )
}

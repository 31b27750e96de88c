import { startInProcess } from '../../../operating/start/testing.ts'
import type { Ending } from '../../../testing/at-end.ts'
import { row, table } from '../../../text/markdown-table.ts'
import type { BenchContext } from './context.ts'
import { atMost } from './goals.ts'
import { fetchPages, fetchRaw } from './pages.ts'
import { residentMegabytes, startForum, stopForum, temporaryFolder } from './processes.ts'
import { type Part, reading } from './readers.ts'
import { questionPaths } from './traffic.ts'

/** Size of a KB in the report. */
const KB_BYTES = 1000

/** Memory and start time of a process, and the size of a first visit. */
export async function footprintPart(context: BenchContext): Promise<Part> {
  const { end, databaseUrl, forum, traffic, say } = context
  const loaded = await memoryUnderLoad(context)
  const idle = await idleMemory(end, databaseUrl)
  const starts = await measureStarts(end, databaseUrl)
  const list = await weigh(forum.url, '/')
  const question = await weigh(forum.url, traffic.questions[0] ?? '/')
  say(`memory ${idle?.toFixed(0)} and ${loaded?.toFixed(0)} MB, start ${starts.running.toFixed(2)} s`)
  const weights = [
    row('list', list.page, list.scripts, list.all),
    row('question', question.page, question.scripts, question.all),
  ]
  return {
    text: [
      '### Memory, start and weight',
      `Started in ${starts.running.toFixed(2)} s with a database that runs already, in ${starts.embedded.toFixed(2)} s with the embedded one, which has to be started first (medians of five, to 30 ms).`,
      'Bytes over the wire on a first visit, headers included:',
      table(['', 'page', 'scripts', 'all, with stylesheet and pictures'], weights),
    ].join('\n\n'),
    goals: [
      atMost('memory of an idle process', idle, 120, ' MB'),
      atMost('memory of a process under load', loaded, 260, ' MB'),
      atMost('start, the database’s own not counted', starts.running, 1.5, ' s'),
      atMost('first visit of the list', list.all / KB_BYTES, 27, ' KB'),
      atMost('first visit of a question', question.all / KB_BYTES, 30, ' KB'),
      atMost('scripts of a question without an editor in sight', question.scripts / KB_BYTES, 8, ' KB'),
    ],
  }
}

/** As many pages in so many variants, uncompressed, are more than a process caches for visitors. */
const FILLING_PAGES = 1000
const FILLING_HEADERS = ['en', 'ko'].flatMap((language) =>
  ['light', 'dark'].map((theme) => ({
    'accept-encoding': 'identity',
    'accept-language': language,
    cookie: `theme=${theme}`,
  })),
)

/** Megabytes of the largest process while visitors read, after the cache was filled. */
async function memoryUnderLoad(context: BenchContext): Promise<number | null> {
  const { db, forum, options, say } = context
  say('filling the page cache')
  const paths = await questionPaths(db, FILLING_PAGES)
  for (const headers of FILLING_HEADERS) {
    // A page is cached when it is requested again.
    await fetchPages(forum.url, paths, headers)
    await fetchPages(forum.url, paths, headers)
  }
  const running = reading(context, forum, 'question')()
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 800))
  const sizes = await residentMegabytes(forum.pid)
  await running
  return sizes.length === 0 ? null : Math.max(...sizes)
}

/** Size of a first visit in bytes on the wire, including headers. */
interface Weight {
  readonly page: number
  readonly scripts: number
  /** Page, style sheet, scripts and images. */
  readonly all: number
}

/** The page and everything that a browser loads with it, except the icon for a phone's home screen. */
async function weigh(url: string, path: string): Promise<Weight> {
  const page = await fetchRaw(url, path)
  const html = (await fetchRaw(url, path, { 'accept-encoding': 'identity' })).body.toString()
  const names = [...html.matchAll(/<(?!link rel="apple-touch-icon")[^>]*?(?:href|src)="(\/assets\/[^"#]+)/g)]
  const assets = await Promise.all(
    [...new Set(names.map(([, name = '']) => name))].map((name) => fetchRaw(url, name)),
  )
  const sum = (parts: readonly { bytes: number }[]) => parts.reduce((total, part) => total + part.bytes, 0)
  return {
    page: page.bytes,
    scripts: sum(assets.filter((asset) => asset.path.endsWith('.js'))),
    all: page.bytes + sum(assets),
  }
}

/** Megabytes of an idle process after its start. */
async function idleMemory(end: Ending, databaseUrl: string): Promise<number | null> {
  const forum = await startForum(end, databaseUrl)
  await fetch(forum.url)
  const sizes = await residentMegabytes(forum.pid)
  await stopForum(forum)
  return sizes.length === 0 ? null : Math.max(...sizes)
}

/** Seconds from the command to the line that says the forum is ready. */
interface StartTimes {
  /** With a running database. */
  readonly running: number
  /** With an existing embedded database that has to be started. */
  readonly embedded: number
}

const STARTS_COUNT = 5

/** Medians of five starts each. */
async function measureStarts(end: Ending, databaseUrl: string): Promise<StartTimes> {
  const embedded = { DATA_DIR: await temporaryFolder(end) }
  // The first start creates the database.
  await startTime(end, embedded)
  return {
    running: await medianTime(() =>
      startTime(end, { DATABASE_URL: databaseUrl, DATA_DIR: embedded.DATA_DIR }),
    ),
    embedded: await medianTime(() => startTime(end, embedded)),
  }
}

async function startTime(end: Ending, variables: Readonly<Record<string, string>>): Promise<number> {
  const begun = performance.now()
  const forum = await startInProcess(end, variables)
  await forum.line(/^Handup is ready/)
  const seconds = (performance.now() - begun) / 1000
  await stopForum(forum)
  return seconds
}

async function medianTime(measure: () => Promise<number>): Promise<number> {
  const times: number[] = []
  for (let start = 0; start < STARTS_COUNT; start += 1) times.push(await measure())
  return times.sort((one, other) => one - other)[Math.floor(STARTS_COUNT / 2)] ?? 0
}

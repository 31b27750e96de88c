import { row, table } from '../../../text/markdown-table.ts'
import type { BenchContext } from './context.ts'
import { idleMemory, measureStarts, weigh } from './footprint.ts'
import { measureFreshness } from './freshness.ts'
import { atMost } from './goals.ts'
import { fetchPages } from './pages.ts'
import { residentMegabytes, startForum, stopForum } from './processes.ts'
import { type Part, reading } from './readers.ts'
import { questionPaths } from './traffic.ts'

/** Size of a KB in the report. */
const KB_BYTES = 1000

/** How long pages stay stale after a write. */
export async function freshnessPart(context: BenchContext): Promise<Part> {
  const { end, databaseUrl, forum, people, traffic, options, say } = context
  const elsewhere = await startForum(end, databaseUrl)
  const fresh = await measureFreshness([forum, elsewhere], people, traffic.questions, options.writes)
  await stopForum(elsewhere)
  say(`stale: ${fresh.staleHere} here, ${fresh.worstElsewhere.toFixed(1)} ms at worst elsewhere`)
  const { writes, staleHere, medianElsewhere, worstElsewhere } = fresh
  return {
    text: [
      '### Stale pages',
      `${writes} answers posted in one process, each followed at once by its question’s page and the list of the latest answers, both of which had been kept: ${staleHere} times an old page from the process that wrote; the new pages were there from another process within ${medianElsewhere.toFixed(1)} ms (median) and ${worstElsewhere.toFixed(1)} ms (worst), the time to make and send them included.`,
    ].join('\n\n'),
    goals: [
      atMost('old pages from the process that wrote', staleHere, 0),
      atMost('old pages from another process, at worst', worstElsewhere, 250, ' ms'),
    ],
  }
}

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
    await fetchPages(forum.url, paths, { headers })
    await fetchPages(forum.url, paths, { headers })
  }
  const running = reading(context, forum, 'question')()
  await new Promise((resolve) => setTimeout(resolve, options.seconds * 800))
  const sizes = await residentMegabytes(forum.pid)
  await running
  return sizes.length === 0 ? null : Math.max(...sizes)
}

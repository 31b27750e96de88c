import { startEmbedded } from '../../database/embedded/embedded.ts'
import type { Database } from '../../database/schema.ts'
import { row, table } from '../../text/markdown-table.ts'
import { forumOf } from './databases.ts'
import { growthMeasures } from './growth-measures.ts'
import { machineSection } from './machine.ts'
import type { Measure } from './measure.ts'
import { drawSamples } from './samples.ts'
import { type Timing, type TimingOptions, timed } from './timing.ts'

interface GrowthOptions extends TimingOptions {
  /** Numbers of questions, ascending: the smallest forum is the reference. */
  readonly sizes: readonly number[]
  /** A PostgreSQL server for the forums; null: the embedded one in .data/bench, where they are kept for later runs. */
  readonly server: string | null
  /** Only measures whose name contains this; '': all. */
  readonly only: string
}

/**
 * Goals: the maximum ratio of a page's time in the largest and smallest forum, and the maximum milliseconds of a
 * search.
 */
const PAGE_GOAL_RATIO = 1.5
const SEARCH_GOAL_MS = 50

type Timings = Map<string, { kind: Measure['kind']; bySize: Timing[] }>

/** Times of pages and searches in forums of several sizes, as a section of Markdown. */
export async function growthSection(options: GrowthOptions, say: (line: string) => void): Promise<string> {
  const server =
    options.server === null ? await startEmbedded({ dataDir: '.data/bench', role: 'command' }) : null
  const url = options.server ?? server?.url ?? ''
  const timings: Timings = new Map()
  let machine = ''
  try {
    for (const size of options.sizes) {
      const db = await forumOf(url, size, say)
      try {
        await measure(db, size, options, timings, say)
        machine = await machineSection(db)
      } finally {
        await db.destroy()
      }
    }
  } finally {
    await server?.stop()
  }
  return sectionOf(options, machine, timings)
}

async function measure(
  db: Database,
  size: number,
  options: GrowthOptions,
  timings: Timings,
  say: (line: string) => void,
): Promise<void> {
  const measures = growthMeasures(db, await drawSamples(db)).filter(({ name }) => name.includes(options.only))
  for (const { name, kind, run } of measures) {
    const timing = await timed(run, options)
    const known = timings.get(name) ?? { kind, bySize: [] }
    known.bySize.push(timing)
    timings.set(name, known)
    say(`${size} questions, ${name}: ${figure(timing)} ms`)
  }
}

function sectionOf(options: GrowthOptions, machine: string, timings: Timings): string {
  const { sizes, runs, bestOf } = options
  const ofKind = (kind: Measure['kind']) => [...timings].filter(([, timing]) => timing.kind === kind)
  const head = (last: string) => ['', ...sizes.map((size) => `${size.toLocaleString('en')} questions`), last]
  const pages = ofKind('page').map(([name, { bySize }]) =>
    row(name, ...bySize.map(figure), `× ${growthOf(bySize).toFixed(2)}`),
  )
  const searches = ofKind('search').map(([name, { bySize }]) =>
    row(name, ...bySize.map(figure), slowest(bySize) <= SEARCH_GOAL_MS ? 'yes' : 'no'),
  )
  const times =
    bestOf === 1
      ? ''
      : ` Each was asked ${bestOf} times, and the fastest counts: others used the machine as well.`
  return [
    '## Growth',
    `Milliseconds of server time (the queries of a page and what is made of them), p50 / p99 of ${runs} runs one after another with other words and ids each, all of them asked once before.${times} Forums made by \`npm run handup -- generate\`.`,
    machine,
    `### Pages\n\nThe last column: p50 in the largest forum against the smallest; the goal is at most × ${PAGE_GOAL_RATIO}.`,
    table(head('growth'), pages),
    `### Searches\n\nWith the rows of their first 20 results. The goal: p99 of at most ${SEARCH_GOAL_MS} ms in the largest forum.`,
    table(head('within the goal'), searches),
  ].join('\n\n')
}

const figure = ({ p50, p99 }: Timing) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`
const growthOf = (bySize: readonly Timing[]) =>
  (bySize.at(-1)?.p50 ?? 0) / Math.max(bySize[0]?.p50 ?? 0, 0.001)
const slowest = (bySize: readonly Timing[]) => bySize.at(-1)?.p99 ?? 0

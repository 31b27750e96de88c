import { startEmbedded } from '../database/embedded.ts'
import type { Database } from '../database/schema.ts'
import { row, table } from '../text/markdown-table.ts'
import { forumOf } from './databases.ts'
import { growthMeasures, type Measure } from './growth-measures.ts'
import { machineSection } from './machine.ts'
import { drawSamples } from './samples.ts'
import { type Timing, type TimingOptions, timed } from './timing.ts'

export interface GrowthOptions extends TimingOptions {
  /** Numbers of questions, the smallest first: what the others are compared with. */
  readonly sizes: readonly number[]
  /** A PostgreSQL where forums may be made; null: the embedded one, in .data/bench, where they stay for the next time. */
  readonly server: string | null
  /** Only measures whose name contains it; '': all. */
  readonly only: string
}

/** A page of the largest forum may take so many times what it takes in the smallest, and a search so many milliseconds. */
const PAGE_FACTOR = 1.5
const SEARCH_LIMIT = 50

type Timings = Map<string, { kind: Measure['kind']; bySize: Timing[] }>

/** How long pages and searches take in forums of several sizes, as a section of Markdown. */
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
    row(name, ...bySize.map(figure), slowest(bySize) <= SEARCH_LIMIT ? 'yes' : 'no'),
  )
  const times =
    bestOf === 1
      ? ''
      : ` Each was asked ${bestOf} times, and the fastest counts: others used the machine as well.`
  return [
    '## Growth',
    `Milliseconds of server time (the queries of a page and what is made of them), p50 / p99 of ${runs} runs one after another with other words and ids each, all of them asked once before.${times} Forums made by \`npm run handup -- generate\`.`,
    machine,
    `### Pages\n\nThe last column: p50 in the largest forum against the smallest; the goal is at most × ${PAGE_FACTOR}.`,
    table(head('growth'), pages),
    `### Searches\n\nWith the rows of their first 20 results. The goal: p99 of at most ${SEARCH_LIMIT} ms in the largest forum.`,
    table(head('within the goal'), searches),
  ].join('\n\n')
}

const figure = ({ p50, p99 }: Timing) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`
const growthOf = (bySize: readonly Timing[]) =>
  (bySize.at(-1)?.p50 ?? 0) / Math.max(bySize[0]?.p50 ?? 0, 0.001)
const slowest = (bySize: readonly Timing[]) => bySize.at(-1)?.p99 ?? 0

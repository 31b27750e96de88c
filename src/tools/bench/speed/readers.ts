import { table } from '../../../text/markdown-table.ts'
import type { BenchContext } from './context.ts'
import { atLeast, atMost, type Goal, LOAD_HEAD, loadRow, ratio } from './goals.ts'
import { alternating, read } from './load.ts'
import type { Result } from './page-requests.ts'
import { fetchPages } from './pages.ts'
import { type Server, startForum, stopForum } from './processes.ts'
import { startReference } from './reference.ts'
import { requestsFor } from './traffic.ts'
import { startWriting } from './writer.ts'

/** A part of the report: Markdown, and its goals. */
export interface Part {
  readonly text: string
  readonly goals: readonly Goal[]
}

const KINDS = { list: 'lists', question: 'questions' } as const

/**
 * Requests pages of a kind from a server.
 * @param cookies of the readers in turn; none: visitors
 */
export function reading(
  { options, traffic, wrk }: BenchContext,
  server: Server,
  kind: keyof typeof KINDS,
  cookies?: readonly string[],
): () => Promise<Result> {
  const requests = requestsFor(traffic[KINDS[kind]], cookies)
  return () => read({ server, requests }, wrk, options.seconds)
}

/** Visitors: the forum, the same bytes from a bare Fastify, and the forum without its cache; then during writes. */
export async function readersPart(context: BenchContext): Promise<Part> {
  const { end, databaseUrl, forum, traffic, say } = context
  say('fetching every page')
  const paths = [...traffic.lists, ...traffic.questions]
  // Twice, as a page is cached when it is requested again.
  await fetchPages(forum.url, paths)
  const reference = await startReference(end, await fetchPages(forum.url, paths))
  const uncached = await startForum(end, databaseUrl, { PAGE_CACHE: 'off' })
  const alone = await quietTable(context, reference, uncached)
  await stopForum(uncached)
  const writing = await writingTable(context, reference)
  return { text: `${alone.text}\n\n${writing.text}`, goals: [...alone.goals, ...writing.goals] }
}

async function quietTable(context: BenchContext, reference: Server, uncached: Server): Promise<Part> {
  const { forum, options, say } = context
  const rows: string[] = []
  const goals: Goal[] = []
  for (const kind of ['list', 'question'] as const) {
    const run = (server: Server) => reading(context, server, kind)
    const results = await alternating(
      { forum: run(forum), reference: run(reference), uncached: run(uncached) },
      options.rounds,
    )
    rows.push(
      loadRow(`visitor’s ${kind}`, results.forum, results.reference),
      loadRow(`(a) a bare Fastify sending the same ${kind}s`, results.reference, null),
      loadRow(`(b) the ${kind} without the page cache`, results.uncached, results.reference),
    )
    goals.push(
      atLeast(`visitor’s ${kind}, of (a)`, ratio(results.forum, results.reference), 0.95),
      atMost(`visitor’s ${kind}, p99`, results.forum.p99, 2 * results.reference.p99, ' ms'),
    )
    say(`visitor’s ${kind}: ${figures(results)}`)
  }
  return { text: `### Visitors\n\n${table(LOAD_HEAD, rows)}`, goals }
}

/** What a course has in its busiest hour, and more than any has. */
const WRITES_PER_SECOND = [5, 50]
const WRITES_GOAL = { perSecond: 5, ofReference: 0.6 }

async function writingTable(context: BenchContext, reference: Server): Promise<Part> {
  const { forum, options, people, questionIds, say } = context
  const rows: string[] = []
  const goals: Goal[] = []
  for (const kind of ['list', 'question'] as const) {
    const visitors = reading(context, forum, kind)
    const whileWriting = (rate: number) => async () => {
      const writer = startWriting(forum.url, people, questionIds, rate)
      const result = await visitors()
      await writer.stop()
      return result
    }
    const runs = Object.fromEntries(WRITES_PER_SECOND.map((rate) => [String(rate), whileWriting(rate)]))
    const plain = reading(context, reference, kind)
    const { reference: nobody, ...results } = await alternating<string>(
      { ...runs, reference: plain },
      options.rounds,
    )
    if (nobody === undefined) throw new Error('the reference was not measured')
    for (const [rate, result] of Object.entries(results)) {
      rows.push(loadRow(`visitor’s ${kind}, ${rate} writes/s`, result, nobody))
    }
    rows.push(loadRow(`(a) a bare Fastify sending the same ${kind}s, nobody writing`, nobody, null))
    const { perSecond, ofReference } = WRITES_GOAL
    const busy = results[String(perSecond)]
    if (busy !== undefined)
      goals.push(
        atLeast(`visitor’s ${kind} with ${perSecond} writes/s, of (a)`, ratio(busy, nobody), ofReference),
      )
    say(`while people write, ${kind}: ${figures({ ...results, reference: nobody })}`)
  }
  return { text: `### Visitors while people write\n\n${table(LOAD_HEAD, rows)}`, goals }
}

/** Prints a line of progress. */
export function figures(results: Readonly<Record<string, Result>>): string {
  return Object.entries(results)
    .map(([name, { perSecond }]) => `${name} ${Math.round(perSecond)}/s`)
    .join(', ')
}

import autocannon from 'autocannon'
import { processorTime, type Server } from './processes.ts'
import type { Program } from './programs.ts'
import { BROWSER_HEADERS } from './traffic.ts'
import { readWithWrk } from './wrk.ts'

/** What came of a run: requests a second, milliseconds, and microseconds of the server's processor time for each request. */
export interface Result {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** null: this system does not tell. */
  readonly processor: number | null
  /** Requests a second of each round, where several are one result. */
  readonly rounds?: readonly number[]
}

/** A page to ask for; without a cookie: as a visitor. */
export interface PageRequest {
  readonly path: string
  readonly cookie?: string
}

/** People who read: what they ask for, one page after another, again and again. */
export interface Load {
  readonly server: Server
  readonly requests: readonly PageRequest[]
}

/** As browsers with some tabs each: enough that the server is never idle, too few for it to queue for long. */
export const CONNECTIONS = 32

/**
 * Asks for pages as fast as they come.
 * @param wrk null: autocannon does it, which takes more processor time than the server
 * @throws Error when an answer was no page: what was measured would be something else
 */
export async function read(load: Load, wrk: Program | null, seconds: number): Promise<Result> {
  return timed(load.server, () =>
    wrk === null
      ? send(load.server, 200, seconds, (connection) => pagesOf(load, connection))
      : readWithWrk(wrk, load, CONNECTIONS, seconds),
  )
}

function pagesOf({ requests }: Load, connection: number): autocannon.Request[] {
  return requests
    .filter((_request, index) => index % CONNECTIONS === connection)
    .map(({ path, cookie }) => ({
      path,
      headers: { ...BROWSER_HEADERS, ...(cookie !== undefined && { cookie }) },
    }))
}

/** Sends forms as fast as they are taken. @throws Error when one was not */
export async function sendForms(
  server: Server,
  requestsOf: (connection: number) => autocannon.Request[],
  seconds: number,
): Promise<Result> {
  return timed(server, () => send(server, 303, seconds, requestsOf))
}

type Run = Omit<Result, 'processor'>

async function timed(server: Server, run: () => Promise<Run & { readonly count: number }>): Promise<Result> {
  const before = await processorTime(server.pid)
  const { count, ...result } = await run()
  const after = await processorTime(server.pid)
  const processor = before === null || after === null ? null : ((after - before) / count) * 1e6
  return { ...result, processor }
}

/** @param status what every answer has to be */
async function send(
  server: Server,
  status: number,
  seconds: number,
  requestsOf: (connection: number) => autocannon.Request[],
): Promise<Run & { count: number }> {
  const times: number[] = []
  const statuses = new Map<number, number>()
  let connection = 0
  const { duration, errors } = await autocannon({
    url: server.url,
    connections: CONNECTIONS,
    duration: seconds,
    timeout: 30,
    setupClient: (client) => {
      client.setRequests(requestsOf(connection++))
      client.on('response', (code, _bytes, milliseconds) => {
        times.push(milliseconds)
        statuses.set(code, (statuses.get(code) ?? 0) + 1)
      })
    },
  })
  if (errors > 0 || statuses.size !== 1 || !statuses.has(status)) {
    const what = [...statuses].map(([code, count]) => `${count} × ${code}`).join(', ')
    throw new Error(`${server.url}: ${what || 'no answer'} and ${errors} errors, instead of ${status}`)
  }
  return { ...timesOf(times, duration), count: times.length }
}

/** @param times milliseconds of each. @param duration of all, in seconds */
export function timesOf(times: readonly number[], duration: number): Run {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { perSecond: times.length / duration, p50: at(0.5), p99: at(0.99) }
}

/**
 * Runs loads by turns, so that what slows the machine down slows all of them down: first all once to get warm, then
 * `rounds` times.
 * @returns for each the run with the median of requests a second, and those of all its runs
 */
export async function alternating<Name extends string>(
  runs: Readonly<Record<Name, () => Promise<Result>>>,
  rounds: number,
): Promise<Record<Name, Result>> {
  const names = Object.keys(runs) as Name[]
  const results = new Map<Name, Result[]>(names.map((name) => [name, []]))
  for (const name of names) await runs[name]()
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) results.get(name)?.push(await runs[name]())
  }
  return Object.fromEntries(names.map((name) => [name, median(results.get(name) ?? [])])) as Record<
    Name,
    Result
  >
}

function median(results: readonly Result[]): Result {
  const sorted = results.toSorted((one, other) => one.perSecond - other.perSecond)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new Error('nothing was measured')
  return { ...middle, rounds: results.map(({ perSecond }) => perSecond) }
}

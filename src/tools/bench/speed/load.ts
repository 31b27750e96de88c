import autocannon from 'autocannon'
import { BROWSER_HEADERS, type Load, type Result } from './page-requests.ts'
import { processorTime, type Server } from './processes.ts'
import type { Program } from './programs.ts'
import { readWithWrk } from './wrk.ts'

/** Enough connections to keep the server busy, too few for long queues. */
export const CONNECTIONS = 32

/**
 * Requests pages as fast as possible.
 * @param wrk null: uses autocannon, which takes more processor time than the server
 * @throws Error when a response was no page, which would invalidate the measurement
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

/**
 * Submits forms as fast as possible.
 * @throws Error when one was refused
 */
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

/** @param status required of every response */
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

/**
 * @param times milliseconds of each
 * @param duration of all, in seconds
 */
export function timesOf(times: readonly number[], duration: number): Run {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { perSecond: times.length / duration, p50: at(0.5), p99: at(0.99) }
}

/**
 * Runs loads in turns, so that disturbances affect all alike: a warm-up of each, then `rounds` rounds.
 * @returns for each the run with the median of requests per second, and the values of all its runs
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

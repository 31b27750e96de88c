import autocannon from 'autocannon'
import { processorTime, type Server } from './processes.ts'

/** What came of a run: requests a second, milliseconds, and microseconds of the server's processor time for each request. */
export interface Result {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** null: this system does not tell. */
  readonly processor: number | null
}

export interface Load {
  readonly server: Server
  /** The requests of a connection, asked for one after another, again and again. */
  readonly requestsOf: (connection: number) => autocannon.Request[]
  /** What every answer has to be. */
  readonly status: number
}

/** As browsers with some tabs each: enough that the server is never idle, too few for it to queue for long. */
export const CONNECTIONS = 32

/** @throws Error when an answer was not what it has to be: what was measured would be something else */
export async function underLoad({ server, requestsOf, status }: Load, seconds: number): Promise<Result> {
  const times: number[] = []
  const statuses = new Map<number, number>()
  let connection = 0
  const before = await processorTime(server.pid)
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
  const after = await processorTime(server.pid)
  const others = [...statuses].filter(([code]) => code !== status)
  if (others.length > 0 || errors > 0 || times.length === 0) {
    const what = [...statuses].map(([code, count]) => `${count} × ${code}`).join(', ')
    throw new Error(
      `${server.url} answered ${what || 'nothing'}, with ${errors} errors, instead of ${status}`,
    )
  }
  const sorted = Float64Array.from(times).sort()
  return {
    perSecond: times.length / duration,
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    processor: before === null || after === null ? null : ((after - before) / times.length) * 1e6,
  }
}

/**
 * Runs loads by turns, so that what slows the machine down slows all of them down: first all once to get warm, then
 * `rounds` times.
 * @returns for each the run with the median of requests a second
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
  return middle
}

export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

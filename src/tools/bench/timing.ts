/** The median and the 99th percentile in milliseconds. */
export interface Timing {
  readonly p50: number
  readonly p99: number
}

export interface TimingOptions {
  readonly runs: number
  /** Each query runs this often, and its minimum counts: other processes may use the machine. */
  readonly bestOf: number
}

/**
 * Times a query, one run after another with different parameters, after a warm-up with all of them.
 * @param run gets the number of the run
 */
export async function timed(
  run: (number: number) => Promise<unknown>,
  options: TimingOptions,
): Promise<Timing> {
  for (let number = 0; number < options.runs; number += 1) await run(number)
  const times: number[] = []
  for (let number = 0; number < options.runs; number += 1) {
    let best = Number.POSITIVE_INFINITY
    for (let time = 0; time < options.bestOf; time += 1) {
      const started = performance.now()
      await run(number)
      best = Math.min(best, performance.now() - started)
    }
    times.push(best)
  }
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

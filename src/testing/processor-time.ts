import assert from 'node:assert/strict'

/** Systems count a thread's time in ticks of up to ten milliseconds: shorter measurements are meaningless. */
const MIN_MICROSECONDS = 40_000
/** The ratio of the two texts' sizes, and the maximum ratio of their costs per character. */
const SIZE_RATIO = 16
const MAX_COST_RATIO = 6
const ATTEMPTS = 5

/** Runs `act`, and returns the microseconds of processor time that this thread used; other threads do not count. */
export function measured<Result>(act: () => Result): { result: Result; microseconds: number } {
  const before = process.threadCpuUsage()
  const result = act()
  const { user, system } = process.threadCpuUsage(before)
  return { result, microseconds: user + system }
}

/** Microseconds of processor time per run, averaged over as many runs as a measurement needs. */
export function averageCost(act: () => unknown): number {
  act()
  for (let runs = 1; ; runs *= 2) {
    const { microseconds } = measured(() => {
      for (let run = 0; run < runs; run += 1) act()
    })
    if (microseconds >= MIN_MICROSECONDS) return microseconds / runs
  }
}

/**
 * Fails when a character of a long text costs much more than one of a text a sixteenth as long: in linear time the
 * costs are equal, in quadratic time 16 times as high. Both are measured in this process, so the machine's speed
 * cancels out.
 * @param act does the work for a text of this many characters
 */
export function assertLinear(what: string, size: number, act: (size: number) => void): void {
  const ratios: number[] = []
  while (ratios.length < ATTEMPTS) {
    const ratio = averageCost(() => act(size)) / averageCost(() => act(size / SIZE_RATIO)) / SIZE_RATIO
    if (ratio < MAX_COST_RATIO) return
    ratios.push(Math.round(ratio))
  }
  assert.fail(
    `${what}: ${SIZE_RATIO} times the size costs ${ratios.join(', ')} times as much for each character`,
  )
}

/** Something that runs until it is stopped. */
export interface Running {
  /** Finishes what is under way and writes what waits in memory. Idempotent. */
  stop(): Promise<void>
}

/** @param end is called once, however often it is stopped */
export function runningUntil(end: () => Promise<void>): Running {
  let ended: Promise<void> | null = null
  return {
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

/** A background task that runs until it is stopped. */
export interface Running {
  /** Completes the current work and flushes buffers. Idempotent. */
  stop(): Promise<void>
}

/** @param end called once, however often stop is called */
export function runningUntil(end: () => Promise<void>): Running {
  let ended: Promise<void> | null = null
  return {
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

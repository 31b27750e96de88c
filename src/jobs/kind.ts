import type { Job } from './table.ts'

export interface Kind {
  readonly name: string
  /** Runs at once. */
  readonly concurrency: number
  /** Keys that one run takes. */
  readonly batch: number
  /** Time limit of a run in milliseconds. */
  readonly timeout: number
  /** Puts what has become due into the table: for kinds whose schedule is elsewhere. */
  plan?(): Promise<void>
  /** Runs at once as long as what they use is not to be spared: at most `concurrency`; 0 for now none. */
  capacity?(): number
  /** How many jobs of priority 1 and 2 may be started now. */
  bulkAllowance?(): Promise<number>
  /** Does jobs of different keys; all are tried again, each alone, when it throws. May be done twice: after a crash. */
  run(jobs: readonly Job[], signal: AbortSignal): Promise<void>
  /** Records that jobs were done: repeated until it succeeds. */
  done?(jobs: readonly Job[]): Promise<void>
  /** Whether an error says that no further attempt can succeed. */
  isHopeless?(error: unknown): boolean
  /** After a failure was recorded. */
  failed?(job: Job, isGivenUp: boolean): Promise<void>
  /** Closes what its runs use, after the last one. */
  close?(): void
  /** Milliseconds to rest after jobs that took `took` and had waited `waited`. */
  rest?(took: number, waited: number): number
}

/** Of kinds whose keys are ids. */
export const idsOf = (jobs: readonly Job[]) => jobs.map(({ key }) => Number(key))

/**
 * In milliseconds, except for `leaseMargin` and the result of `backOff`, in seconds. After an outage of an
 * hour everything is done within ten minutes, and nobody was flooded before.
 */
export const TIMING = {
  /** Between looks for jobs that nobody told of: those that are due again, or whose process died. */
  pause: 2000,
  /** After the time limit of a run and so much more another process may take its jobs. */
  leaseMargin: 60,
  /** Delay before the next attempt in seconds, by the number of attempts. */
  backOff: (tries: number) => Math.min(600, 5 * 2 ** (tries - 1)) * (0.8 + Math.random() * 0.4),
  /**
   * How long the database must have been available before expired leases are taken over: a process that did a
   * job, but could not record it while the database was unavailable, does so first.
   */
  takeoverDelay: 10_000,
  /** How long a stop waits for runs in progress. */
  stopTimeout: 4000,
}

export type Timing = Readonly<typeof TIMING>

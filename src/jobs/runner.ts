import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { noteFailures } from './failures.ts'
import { chunksOf, oneOfEach } from './groups.ts'
import { type Kind, TIMING, type Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, type Job, markDone, markFailed } from './table.ts'

/** Between two tries to record that a job was done, in milliseconds. */
const RECORD_RETRY_MS = 500

/**
 * Does the jobs of one kind until stopped. It looks when a job is added, and every `pause`: what is due by the clock (a retry, a mail
 * at eight) is announced by nothing, nor is what was added while the connection for notifications was lost. A look that finds
 * nothing reads one or two indexes. Several processes may: each takes others. A job is done at least once. It is not
 * done again, unless this process dies before it has recorded it, or it alone loses the database for longer than the lease.
 */
export class Lane {
  private readonly db: Database
  private readonly log: FastifyBaseLogger
  private readonly kind: Kind
  private readonly timing: Timing
  private readonly stopping = new AbortController()
  private readonly quitting = new AbortController()
  private readonly timer: NodeJS.Timeout
  private running: Promise<void> | null = null
  private isAsked = false
  /** Something that this process has heard of may not be done yet: false while the lane only rests. */
  private isBehind = false
  /** How many times it has heard of something: a look by the clock is none. */
  private heardCount = 0
  private readonly waiting: (() => void)[] = []
  private resting = new AbortController()
  /** Since when the database has answered without a failure; null: it is unavailable. */
  private answersSince: number | null = null

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing = TIMING) {
    this.db = db
    this.log = log
    this.kind = kind
    this.timing = timing
    this.timer = setInterval(() => this.look(), timing.pause).unref()
    this.wake()
  }

  /** There may be something to do. */
  wake(): void {
    this.heardCount += 1
    this.isBehind = !this.stopping.signal.aborted
    this.look()
  }

  private look(): void {
    this.isAsked = true
    if (this.stopping.signal.aborted) return
    this.running ??= this.work().finally(() => {
      this.running = null
      this.catchUp()
    })
  }

  /** Resolves when what this process had heard of is done, or after a timeout in milliseconds. A rest ends for that. */
  async caughtUp(timeout: number): Promise<void> {
    if (!this.isBehind) return
    this.resting.abort()
    const caughtUp = new Promise<void>((resolve) => this.waiting.push(resolve))
    await Promise.race([caughtUp, sleep(timeout, undefined, { ref: false })])
  }

  private catchUp(): void {
    this.isBehind = false
    for (const resolve of this.waiting.splice(0)) resolve()
  }

  /** Begins nothing new and waits briefly for runs in progress; what they leave is done by the next process. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.stopping.abort()
    this.resting.abort()
    const timeout = setTimeout(() => this.quitting.abort(), this.timing.stopTimeout)
    await this.running
    clearTimeout(timeout)
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping
    while (this.isAsked && !signal.aborted) {
      this.isAsked = false
      const { heardCount } = this
      const begun = performance.now()
      // What waits already is done all the same.
      await this.kind.plan?.().catch((error) => this.warn(error, 'what is due could not be planned'))
      const jobs = await this.claim().catch((error) => this.noteAway(error, 'jobs wait for the database'))
      if (jobs === undefined || jobs.length === 0) continue
      const done = await Promise.all(chunksOf(jobs, this.kind.batch).map((some) => this.attempt(some)))
      // Nobody waits for the rest below.
      if (heardCount === this.heardCount && jobs.length < this.kind.concurrency * this.kind.batch)
        this.catchUp()
      // Where all fail, the next are for the next look: a mail server that is away is not asked for one after the other.
      this.isAsked ||= done.includes(true)
      const waited = Math.max(...jobs.map((job) => job.waited))
      const rest = this.kind.rest?.(performance.now() - begun, waited) ?? 0
      if (rest > 0) await this.rest(rest)
    }
  }

  private async rest(milliseconds: number): Promise<void> {
    // Who waits already waits for what was added during the work.
    if (this.waiting.length > 0 || this.stopping.signal.aborted) return
    this.resting = new AbortController()
    await sleep(milliseconds, undefined, { signal: this.resting.signal }).catch(() => undefined)
  }

  private async claim(): Promise<ClaimedJob[]> {
    const { kind, timing } = this
    const limit = kind.concurrency * kind.batch
    const jobs = await claimJobs(this.db, {
      kind: kind.name,
      limit,
      bulkLimit: (await kind.bulkAllowance?.()) ?? limit,
      lease: kind.timeout / 1000 + timing.leaseMargin,
      takesOver: this.answersSince !== null && performance.now() - this.answersSince >= timing.takeoverDelay,
    })
    this.answersSince ??= performance.now()
    return jobs
  }

  /** Each alone where they fail together. @returns whether any was done */
  private async attempt(jobs: readonly Job[]): Promise<boolean> {
    const [keys, quitting] = [oneOfEach(jobs), this.quitting.signal]
    try {
      await this.kind.run(keys, AbortSignal.any([quitting, AbortSignal.timeout(this.kind.timeout)]))
    } catch (error) {
      if (keys.length === 1 || quitting.aborted) return this.recordFailure(jobs, error)
      const alone = []
      for (const some of chunksOf(jobs, 1)) alone.push(await this.attempt(some))
      return alone.includes(true)
    }
    await this.recordDone(jobs)
    return true
  }

  /** Retries until it is recorded: what was done must not be done again after a database outage. */
  private async recordDone(jobs: readonly Job[]): Promise<void> {
    for (;;) {
      try {
        await this.kind.done?.(jobs)
        return await markDone(this.db, this.kind.name, jobs)
      } catch (error) {
        this.answersSince = null
        if (this.quitting.signal.aborted)
          return this.log.error(
            { err: error, jobs },
            'jobs were done, but not recorded: they may be done twice',
          )
        await sleep(RECORD_RETRY_MS)
      }
    }
  }

  /** If the database is unavailable too, the lease expires and the jobs are tried again. */
  private async recordFailure(jobs: readonly Job[], error: unknown): Promise<false> {
    const reason = error instanceof Error ? error.message : String(error)
    const isGivenUp = this.kind.isHopeless?.(error) === true
    const tries = Math.max(...jobs.map((job) => job.tries))
    const seconds = this.quitting.signal.aborted ? 0 : this.timing.backOff(tries)
    try {
      await markFailed(this.db, jobs, reason, isGivenUp ? null : seconds)
      for (const job of jobs) await this.kind.failed?.(job, isGivenUp)
    } catch (failure) {
      this.noteAway(failure, 'a failed job could not be recorded')
    }
    noteFailures(this.log, this.kind.name, jobs, reason, isGivenUp)
    return false
  }

  private noteAway(error: unknown, what: string): void {
    this.answersSince = null
    this.warn(error, what)
  }

  private warn(error: unknown, what: string): void {
    this.log.warn({ err: error, kind: this.kind.name }, what)
  }
}

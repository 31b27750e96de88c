import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { writeEvent } from '../audit-log/note.ts'
import type { Database } from '../database/schema.ts'
import { type Kind, TIMING, type Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, type Job, markDone, markFailed, oneOfEach } from './table.ts'

/** Between two tries to record that a job was done, in milliseconds. */
const RECORD_RETRY_MS = 500

/**
 * Does the jobs of one kind until stopped. Several processes may: each takes others. A job is done at least once. It is not
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
  /** Since when the database has answered without a failure; null: it is unavailable. */
  private answersSince: number | null = null

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing = TIMING) {
    this.db = db
    this.log = log
    this.kind = kind
    this.timing = timing
    this.timer = setInterval(() => this.wake(), timing.pause).unref()
    this.wake()
  }

  /** There may be something to do. */
  wake(): void {
    this.isAsked = true
    if (this.stopping.signal.aborted) return
    this.running ??= this.work().finally(() => {
      this.running = null
    })
  }

  /** Resolves when what this process had heard of is done, or after a timeout in milliseconds. */
  async caughtUp(timeout: number): Promise<void> {
    if (this.running !== null) await Promise.race([this.running, sleep(timeout, undefined, { ref: false })])
  }

  /** Begins nothing new and waits briefly for runs in progress; what they leave is done by the next process. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    this.stopping.abort()
    const timeout = setTimeout(() => this.quitting.abort(), this.timing.stopTimeout)
    await this.running
    clearTimeout(timeout)
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping
    while (this.isAsked && !signal.aborted) {
      this.isAsked = false
      const begun = performance.now()
      const jobs = await this.claim().catch((error) => {
        this.answersSince = null
        this.log.warn({ err: error, kind: this.kind.name }, 'jobs wait for the database')
        return []
      })
      if (jobs.length === 0) continue
      const done = await Promise.all(chunksOf(jobs, this.kind.batch).map((some) => this.attempt(some)))
      // Where all fail, the next are for the next look: a mail server that is away is not asked for one after the other.
      this.isAsked ||= done.includes(true)
      const waited = Math.max(...jobs.map((job) => job.waited))
      const rest = this.kind.rest?.(performance.now() - begun, waited) ?? 0
      if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => undefined)
    }
  }

  private async claim(): Promise<ClaimedJob[]> {
    const { kind, timing } = this
    await kind.plan?.()
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

  /** @returns whether any was done */
  private async attempt(jobs: readonly Job[]): Promise<boolean> {
    const [quitting, limit] = [this.quitting.signal, AbortSignal.timeout(this.kind.timeout)]
    const keys = oneOfEach(jobs)
    try {
      await this.kind.run(keys, AbortSignal.any([quitting, limit]))
    } catch (error) {
      if (keys.length > 1 && !quitting.aborted) {
        let isAnyDone = false
        for (const { key } of keys)
          if (await this.attempt(jobs.filter((job) => job.key === key))) isAnyDone = true
        return isAnyDone
      }
      await this.recordFailure(jobs, error)
      return false
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
  private async recordFailure(jobs: readonly Job[], error: unknown): Promise<void> {
    const reason = error instanceof Error ? error.message : String(error)
    const isGivenUp = this.kind.isHopeless?.(error) === true
    const tries = Math.max(...jobs.map((job) => job.tries))
    const seconds = this.quitting.signal.aborted ? 0 : this.timing.backOff(tries)
    try {
      await markFailed(this.db, jobs, reason, isGivenUp ? null : seconds)
      for (const job of jobs) await this.kind.failed?.(job, isGivenUp)
    } catch (failure) {
      this.answersSince = null
      this.log.warn({ err: failure }, 'a failed job could not be recorded')
    }
    const { name: kind } = this.kind
    for (const { key, tries } of jobs)
      writeEvent(this.log, 'job-failed', { kind, key, tries, reason: withoutAddresses(reason), isGivenUp })
  }
}

/** Mail servers repeat the recipient in their messages. */
function withoutAddresses(reason: string): string {
  return reason.slice(0, 500).replace(/\S+@\S+/g, '…@…')
}

/** Jobs in groups of at most `size` keys; those of one key stay together. */
function chunksOf<T extends Job>(jobs: readonly T[], size: number): T[][] {
  const byKey = [...Map.groupBy(jobs, ({ key }) => key).values()]
  const count = Math.ceil(byKey.length / size)
  return Array.from({ length: count }, (_, index) => byKey.slice(index * size, (index + 1) * size).flat())
}

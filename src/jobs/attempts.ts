import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { together } from '../database/together.ts'
import type { Claims } from './claims.ts'
import { noteFailures } from './failures.ts'
import { chunksOf, oneOfEach } from './groups.ts'
import type { Kind, Timing } from './kind.ts'
import { type Job, markDone, markFailed } from './table.ts'

/** Between two tries to record that a job was done, in milliseconds. */
const RECORD_RETRY_MS = 500

/** Does jobs of one kind, and records what became of them. */
export class Attempts {
  private readonly db: Database
  private readonly log: FastifyBaseLogger
  private readonly kind: Kind
  private readonly timing: Timing
  private readonly claims: Claims
  private readonly quitting = new AbortController()
  /** Jobs that are done at about the same time are recorded by one statement. */
  private readonly markDone: (job: Job) => Promise<true | undefined>

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing, claims: Claims) {
    this.db = db
    this.log = log
    this.kind = kind
    this.timing = timing
    this.claims = claims
    this.markDone = together(async (jobs) => {
      await markDone(db, kind.name, jobs)
      return new Map()
    })
  }

  /** Breaks off what is under way: the next process does it. */
  quit(): void {
    this.quitting.abort()
  }

  /** Does jobs together, and each alone where they fail together. @returns whether any was done */
  async attempt(jobs: readonly Job[]): Promise<boolean> {
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
        await Promise.all(jobs.map(this.markDone))
        return
      } catch (error) {
        this.claims.noteAway(error, null)
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
      this.claims.noteAway(failure, 'a failed job could not be recorded')
    }
    noteFailures(this.log, this.kind.name, jobs, reason, isGivenUp)
    return false
  }
}

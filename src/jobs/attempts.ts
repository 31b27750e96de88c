import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { writeEvent } from '../kernel/audit/note.ts'
import type { Kind, Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, extendLeases, type Job, markDone, markFailed } from './table.ts'

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

/** Seconds: of kinds that may be done twice. Longer than two looks by the clock. */
const SHORT_LEASE = 6

/** The jobs of one kind that this process has claimed and not recorded yet, and whether the database answers. */
export class Claims {
  private readonly db: Database
  private readonly log: FastifyBaseLogger
  private readonly kind: Kind
  private readonly timing: Timing
  /** Since when the database has answered without a failure; null: it is unavailable. */
  private answersSince: number | null = null
  private bulkClaimed = 0
  /** Ids of the jobs under way. */
  private readonly busy = new Set<number>()

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing) {
    this.db = db
    this.log = log
    this.kind = kind
    this.timing = timing
  }

  /** Claims as many jobs as are due, at most `limit`: none where the database is unavailable. */
  async claim(limit: number): Promise<ClaimedJob[]> {
    const { kind } = this
    try {
      const jobs = await claimJobs(this.db, {
        kind: kind.name,
        limit,
        bulkLimit: (await kind.bulkAllowance?.()) ?? limit,
        bulkClaimed: this.bulkClaimed,
        lease: kind.isRepeatable === true ? SHORT_LEASE : kind.timeout / 1000 + this.timing.leaseMargin,
        takesOver: kind.isRepeatable === true || this.isDatabaseBack(),
        underWay: [...this.busy],
      })
      for (const { id } of jobs) this.busy.add(id)
      this.bulkClaimed += jobs.filter(({ priority }) => priority > 0).length
      this.answersSince ??= performance.now()
      return jobs
    } catch (error) {
      this.noteAway(error, 'jobs wait for the database')
      return []
    }
  }

  /** These are no longer under way. */
  release(jobs: readonly Job[]): void {
    for (const { id } of jobs) this.busy.delete(id)
  }

  /** Makes the leases of jobs that may be done twice longer. Where it fails, another process may do them as well. */
  stay(): void {
    if (this.kind.isRepeatable !== true || this.busy.size === 0) return
    extendLeases(this.db, [...this.busy], SHORT_LEASE).catch((error) =>
      this.noteAway(error, 'jobs take longer'),
    )
  }

  /** The database has not answered. @param what failed, for the log; null: it is tried again */
  noteAway(error: unknown, what: string | null): void {
    this.answersSince = null
    if (what !== null) this.log.warn({ err: error, kind: this.kind.name }, what)
  }

  private isDatabaseBack(): boolean {
    return this.answersSince !== null && performance.now() - this.answersSince >= this.timing.takeoverDelay
  }
}

/** Writes an event for each job that failed. */
function noteFailures(
  log: FastifyBaseLogger,
  kind: string,
  jobs: readonly Job[],
  reason: string,
  isGivenUp: boolean,
): void {
  for (const { key, tries } of jobs)
    writeEvent(log, 'job-failed', { kind, key, tries, reason: withoutAddresses(reason), isGivenUp })
}

/** Mail servers repeat the recipient in their messages. */
function withoutAddresses(reason: string): string {
  return reason.slice(0, 500).replace(/\S+@\S+/g, '…@…')
}

/** One job for each key. */
export function oneOfEach<Some extends Job>(jobs: readonly Some[]): Some[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()]
}

/** Jobs in groups of at most `size` keys; those of one key stay together. */
export function chunksOf<Some extends Job>(jobs: readonly Some[], size: number): Some[][] {
  const byKey = [...Map.groupBy(jobs, ({ key }) => key).values()]
  const count = Math.ceil(byKey.length / size)
  return Array.from({ length: count }, (_, index) => byKey.slice(index * size, (index + 1) * size).flat())
}

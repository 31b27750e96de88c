import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import type { Kind, Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, extendLeases, type Job } from './table.ts'

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

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { noteFailures } from './failures.ts'
import { chunksOf, oneOfEach } from './groups.ts'
import { type Kind, TIMING, type Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, extendLeases, type Job, markDone, markFailed } from './table.ts'

/** Between two tries to record that a job was done, in milliseconds. */
const RECORD_RETRY_MS = 500
/** Seconds: of kinds that may be done twice. Longer than two looks by the clock. */
const SHORT_LEASE = 6

/** What a look has begun. */
interface Begun {
  readonly at: number
  readonly heardCount: number
  /** Whether nothing more was due. */
  readonly isAll: boolean
  /** Milliseconds that the oldest of it had waited. */
  readonly waited: number
}

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
  /** Resolved when it is asked again. */
  private asked = Promise.withResolvers<void>()
  /** Something that this process has heard of may not be done yet: false while the lane only rests. */
  private isBehind = false
  /** How many times it has heard of something: a look by the clock is none. */
  private heardCount = 0
  private readonly waiting: (() => void)[] = []
  private resting = new AbortController()
  /** Since when the database has answered without a failure; null: it is unavailable. */
  private answersSince: number | null = null
  private bulkClaimed = 0
  /** Ids of the jobs under way. */
  private readonly busy = new Set<number>()

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing = TIMING) {
    this.db = db
    this.log = log
    this.kind = kind
    this.timing = timing
    this.timer = setInterval(() => {
      this.stay()
      this.look()
    }, timing.pause).unref()
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
    this.asked.resolve()
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
    this.kind.close?.()
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping
    const underWay = new Set<Promise<void>>()
    while ((this.isAsked || underWay.size > 0) && !signal.aborted) {
      const begun = this.isAsked ? await this.begin(underWay) : null
      await this.roomAmong(underWay)
      if (begun !== null) await this.afterwards(begun, underWay.size === 0)
    }
    await Promise.all(underWay)
  }

  /** Waits until half are done, and for more to do: one that takes long keeps none of the others. */
  private async roomAmong(underWay: ReadonlySet<Promise<void>>): Promise<void> {
    const asked = this.asked.promise
    while (underWay.size > this.kind.concurrency / 2) await Promise.race(underWay)
    if (underWay.size > 0 && !this.isAsked) await Promise.race([...underWay, asked])
  }

  /** Begins what is due. @returns what was begun; null: nothing is */
  private async begin(underWay: Set<Promise<void>>): Promise<Begun | null> {
    this.isAsked = false
    this.asked = Promise.withResolvers()
    const [{ heardCount, kind }, at] = [this, performance.now()]
    // What waits already is done all the same.
    await kind.plan?.().catch((error) => this.warn(error, 'what is due could not be planned'))
    const free = Math.min(kind.concurrency, kind.capacity?.() ?? kind.concurrency) - underWay.size
    if (free <= 0) return null
    const limit = free * kind.batch
    const jobs = await this.claim(limit).catch((error) => this.noteAway(error, 'jobs wait for the database'))
    if (jobs === undefined || jobs.length === 0) return null
    for (const some of chunksOf(jobs, kind.batch)) {
      for (const { id } of some) this.busy.add(id)
      const attempt = this.attempt(some).then((isDone) => {
        for (const { id } of some) this.busy.delete(id)
        underWay.delete(attempt)
        // Where all fail, the next are for the next look: a mail server that is away is not asked for one after the other.
        this.isAsked ||= isDone
      })
      underWay.add(attempt)
    }
    return { at, heardCount, isAll: jobs.length < limit, waited: Math.max(...jobs.map((job) => job.waited)) }
  }

  private async afterwards({ at, heardCount, isAll, waited }: Begun, isIdle: boolean): Promise<void> {
    // Nobody waits for the rest below.
    if (isIdle && isAll && heardCount === this.heardCount) this.catchUp()
    const rest = this.kind.rest?.(performance.now() - at, waited) ?? 0
    if (rest > 0) await this.rest(rest)
  }

  private async rest(milliseconds: number): Promise<void> {
    // Who waits already waits for what was added during the work.
    if (this.waiting.length > 0 || this.stopping.signal.aborted) return
    this.resting = new AbortController()
    await sleep(milliseconds, undefined, { signal: this.resting.signal }).catch(() => undefined)
  }

  private async claim(limit: number): Promise<ClaimedJob[]> {
    const { kind, timing } = this
    const jobs = await claimJobs(this.db, {
      kind: kind.name,
      limit,
      bulkLimit: (await kind.bulkAllowance?.()) ?? limit,
      bulkClaimed: this.bulkClaimed,
      lease: kind.isRepeatable === true ? SHORT_LEASE : kind.timeout / 1000 + timing.leaseMargin,
      takesOver: kind.isRepeatable === true || this.isDatabaseBack(),
      underWay: [...this.busy],
    })
    this.bulkClaimed += jobs.filter(({ priority }) => priority > 0).length
    this.answersSince ??= performance.now()
    return jobs
  }

  private isDatabaseBack(): boolean {
    return this.answersSince !== null && performance.now() - this.answersSince >= this.timing.takeoverDelay
  }

  /** Where it fails, another process may do them as well. */
  private stay(): void {
    if (this.kind.isRepeatable !== true || this.busy.size === 0) return
    extendLeases(this.db, [...this.busy], SHORT_LEASE).catch((error) =>
      this.noteAway(error, 'jobs take longer'),
    )
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

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { attemptsOf, chunksOf } from './attempts.ts'
import { type Kind, TIMING, type Timing } from './kind.ts'
import type { ClaimedJob } from './table.ts'

/**
 * Does the jobs of one kind until stopped. It looks when a job is added, and every `pause` for what is due by
 * the clock or was added while the connection for notifications was lost. Several processes may: each takes
 * others. A job is done at least once, and again only if this process dies before it has recorded it, or
 * alone loses the database for longer than the lease.
 */
export class Lane {
  private readonly log: FastifyBaseLogger
  private readonly kind: Kind
  private readonly timing: Timing
  private readonly attempts: ReturnType<typeof attemptsOf>
  private readonly stopping = new AbortController()
  private readonly timer: NodeJS.Timeout
  private running: Promise<void> | null = null
  private isAsked = false
  private asked = Promise.withResolvers<void>()
  /** Something that this process has heard of may not be done yet: false while the lane only rests. */
  private isBehind = false
  /** How many times it has heard of something: a look by the clock is none. */
  private heardCount = 0
  private readonly waiting: (() => void)[] = []
  private resting = new AbortController()

  constructor(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing = TIMING) {
    this.log = log
    this.kind = kind
    this.timing = timing
    this.attempts = attemptsOf(db, log, kind, timing)
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
    const timeout = setTimeout(() => this.attempts.quit(), this.timing.stopTimeout)
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
      if (begun === null) continue
      // Nobody waits for the rest.
      if (underWay.size === 0 && begun.isAll && begun.heardCount === this.heardCount) this.catchUp()
      await this.rest(this.kind.rest?.(performance.now() - begun.at, begun.waited) ?? 0)
    }
    await Promise.all(underWay)
  }

  /** Waits until half are done, and for more to do: one that takes long keeps none of the others. */
  private async roomAmong(underWay: ReadonlySet<Promise<void>>): Promise<void> {
    const asked = this.asked.promise
    while (underWay.size > this.kind.concurrency / 2) await Promise.race(underWay)
    if (underWay.size > 0 && !this.isAsked) await Promise.race([...underWay, asked])
  }

  /**
   * Begins what is due. @returns null: nothing is; `isAll`: whether nothing more was due; `waited`:
   * milliseconds that the oldest of it had waited
   */
  private async begin(underWay: Set<Promise<void>>) {
    this.isAsked = false
    this.asked = Promise.withResolvers()
    const [{ heardCount, kind }, at] = [this, performance.now()]
    // What waits already is done all the same.
    await kind
      .plan?.()
      .catch((error) => this.log.warn({ err: error, kind: kind.name }, 'what is due could not be planned'))
    const free = Math.min(kind.concurrency, kind.capacity?.() ?? kind.concurrency) - underWay.size
    if (free <= 0) return null
    const limit = free * kind.batch
    const jobs = await this.attempts.claim(limit)
    if (jobs.length === 0) return null
    for (const some of chunksOf(jobs, kind.batch)) this.do(some, underWay)
    return { at, heardCount, isAll: jobs.length < limit, waited: Math.max(...jobs.map((job) => job.waited)) }
  }

  private do(jobs: readonly ClaimedJob[], underWay: Set<Promise<void>>): void {
    const attempt = this.attempts.attempt(jobs).then((isDone) => {
      underWay.delete(attempt)
      // Where all fail, the next are for the next look: a mail server that is away is not asked for one after the other.
      this.isAsked ||= isDone
    })
    underWay.add(attempt)
  }

  private async rest(milliseconds: number): Promise<void> {
    // Who waits already waits for what was added during the work.
    if (milliseconds === 0 || this.waiting.length > 0 || this.stopping.signal.aborted) return
    this.resting = new AbortController()
    await sleep(milliseconds, undefined, { signal: this.resting.signal }).catch(() => undefined)
  }
}

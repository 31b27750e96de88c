import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../database/schema.ts'
import { together } from '../database/together.ts'
import { writeEvent } from '../kernel/audit/note.ts'
import type { Kind, Timing } from './kind.ts'
import { type ClaimedJob, claimJobs, type Job, markDone, markFailed } from './table.ts'

/** Between two tries to record that a job was done. */
const RECORD_RETRY_MS = 500

/** Claims jobs of one kind for this process, does them, and records what became of them. */
export function attemptsOf(db: Database, log: FastifyBaseLogger, kind: Kind, timing: Timing) {
  const quitting = new AbortController()
  /** Since when the database has answered without a failure; null: it is unavailable. */
  let answersSince: number | null = null
  let bulkClaimed = 0
  /** Ids of the jobs that are claimed and not recorded yet. */
  const busy = new Set<number>()
  /** Jobs that are done at about the same time are recorded by one statement. */
  const record = together(async (jobs: readonly Job[]) => {
    await markDone(db, kind.name, jobs)
    return new Map()
  })

  /** The database has not answered. @param what failed, for the log; null: it is tried again */
  function noteAway(error: unknown, what: string | null): void {
    answersSince = null
    if (what !== null) log.warn({ err: error, kind: kind.name }, what)
  }

  /** Claims as many jobs as are due, at most `limit`: none where the database is unavailable. */
  async function claim(limit: number): Promise<ClaimedJob[]> {
    const isBack = answersSince !== null && performance.now() - answersSince >= timing.takeoverDelay
    try {
      const jobs = await claimJobs(db, {
        kind: kind.name,
        limit,
        bulkLimit: (await kind.bulkAllowance?.()) ?? limit,
        bulkClaimed,
        lease: kind.timeout / 1000 + timing.leaseMargin,
        takesOver: isBack,
        underWay: [...busy],
      })
      for (const { id } of jobs) busy.add(id)
      bulkClaimed += jobs.filter(({ priority }) => priority > 0).length
      answersSince ??= performance.now()
      return jobs
    } catch (error) {
      noteAway(error, 'jobs wait for the database')
      return []
    }
  }

  /** Does claimed jobs together, and each alone where they fail together. @returns whether any was done */
  async function attempt(jobs: readonly Job[]): Promise<boolean> {
    const isDone = await run(jobs)
    for (const { id } of jobs) busy.delete(id)
    return isDone
  }

  async function run(jobs: readonly Job[]): Promise<boolean> {
    const keys = oneOfEach(jobs)
    try {
      await kind.run(keys, AbortSignal.any([quitting.signal, AbortSignal.timeout(kind.timeout)]))
    } catch (error) {
      if (keys.length === 1 || quitting.signal.aborted) return recordFailure(jobs, error)
      const alone = []
      for (const some of chunksOf(jobs, 1)) alone.push(await run(some))
      return alone.includes(true)
    }
    await recordDone(jobs)
    return true
  }

  /** Retries until it is recorded: what was done must not be done again after a database outage. */
  async function recordDone(jobs: readonly Job[]): Promise<void> {
    for (;;) {
      try {
        await kind.done?.(jobs)
        await Promise.all(jobs.map(record))
        return
      } catch (error) {
        noteAway(error, null)
        if (quitting.signal.aborted)
          return log.error({ err: error, jobs }, 'jobs were done, but not recorded: they may be done twice')
        await sleep(RECORD_RETRY_MS)
      }
    }
  }

  /** If the database is unavailable too, the lease expires and the jobs are tried again. */
  async function recordFailure(jobs: readonly Job[], error: unknown): Promise<false> {
    const reason = error instanceof Error ? error.message : String(error)
    const isGivenUp = kind.isHopeless?.(error) === true
    const seconds = quitting.signal.aborted ? 0 : timing.backOff(Math.max(...jobs.map((job) => job.tries)))
    try {
      await markFailed(db, jobs, reason, isGivenUp ? null : seconds)
      for (const job of jobs) await kind.failed?.(job, isGivenUp)
    } catch (failure) {
      noteAway(failure, 'a failed job could not be recorded')
    }
    for (const { key, tries } of jobs)
      writeEvent(log, 'job-failed', {
        ...{ kind: kind.name, key, tries, isGivenUp },
        reason: withoutAddresses(reason),
      })
    return false
  }

  /** `quit` breaks off what is under way: the next process does it. */
  return { claim, attempt, quit: () => quitting.abort() }
}

/** Mail servers repeat the recipient in their messages. */
function withoutAddresses(reason: string): string {
  return reason.slice(0, 500).replace(/\S+@\S+/g, '…@…')
}

export function oneOfEach<Some extends Job>(jobs: readonly Some[]): Some[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()]
}

/** Jobs in groups of at most `size` keys; those of one key stay together. */
export function chunksOf<Some extends Job>(jobs: readonly Some[], size: number): Some[][] {
  const byKey = [...Map.groupBy(jobs, ({ key }) => key).values()]
  const count = Math.ceil(byKey.length / size)
  return Array.from({ length: count }, (_, index) => byKey.slice(index * size, (index + 1) * size).flat())
}

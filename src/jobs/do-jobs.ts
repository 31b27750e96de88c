import type { Database } from '../database/schema.ts'
import { oneOfEach } from './attempts.ts'
import type { Kind } from './kind.ts'
import { claimJobs, markDone } from './table.ts'

/**
 * Does all jobs of a kind that are due, one batch after another: what tests and commands call where no lane does.
 * @returns how many
 * @throws what the first that fails throws
 */
export async function doJobs(db: Database, kind: Kind): Promise<number> {
  for (let done = 0; ; ) {
    await kind.plan?.()
    const { name, batch } = kind
    const jobs = await claimJobs(db, {
      kind: name,
      limit: batch,
      bulkLimit: batch,
      bulkClaimed: done,
      lease: 60,
      takesOver: true,
    })
    if (jobs.length === 0) return done
    await kind.run(oneOfEach(jobs), new AbortController().signal)
    await kind.done?.(jobs)
    await markDone(db, name, jobs)
    done += jobs.length
  }
}

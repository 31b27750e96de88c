import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { doJobs } from '../../jobs/do-jobs.ts'
import type { Kind } from '../../jobs/kind.ts'
import { makeDocuments } from './index-question.ts'
import { SEARCH } from './queue.ts'

/** Questions at once: their documents are locked while they are written. */
const BATCH = 20
/** Milliseconds of rest per millisecond of work: pages and posts come first. */
const REST_FACTOR = 4
/** Without rests for questions that have waited this long. */
const LATE_MS = 5000

/** Makes the documents of questions, of which the id is the key. */
export function indexing(db: Database): Kind {
  return {
    name: SEARCH,
    concurrency: 1,
    batch: BATCH,
    timeout: 30_000,
    isRepeatable: true,
    run: (jobs) =>
      makeDocuments(
        db,
        jobs.map(({ key }) => Number(key)),
      ),
    rest: (took, waited) => (waited < LATE_MS ? REST_FACTOR * took : 0),
  }
}

/** Makes all documents that wait: what tests and commands call where no job does. */
export async function indexQueued(db: Database): Promise<void> {
  await doJobs(db, indexing(db))
}

/** Indexes posts a moment after they were written, while the app runs. Without a change feed they wait for indexQueued. */
export function registerIndexing(app: FastifyInstance): void {
  if (app.changes !== null) app.jobs.start(indexing(app.db))
}

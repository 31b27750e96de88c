import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { indexQuestions } from './index-question.ts'

/** Rows taken at once: their documents are locked meanwhile. */
const BATCH = 20

/** What one batch was. */
export interface Batch {
  /** Rows that were taken; 0: none was left, or others are at them. */
  readonly taken: number
  /** How many milliseconds the oldest of them had waited. */
  readonly waited: number
}

/**
 * Has the document of a question made again after this transaction: for posts, of which a thread may get many a second, and
 * whose documents cost more than they do. Commands that change or delete posts call indexQuestions instead.
 */
export async function queueForSearch(write: Write, questionId: number): Promise<void> {
  await write.insertInto('search_queue').values({ question_id: questionId }).execute()
}

/**
 * Makes the documents of some questions that wait. Several processes may do it at once: each takes other rows. Rows are gone
 * when their documents are there, in one transaction, so that a crash leaves both as they were.
 */
export async function indexBatch(db: Database): Promise<Batch> {
  return db.transaction().execute(async (write) => {
    const { rows } = await sql<{ question_id: number; waited: number }>`
      delete from search_queue
      where id in (select id from search_queue order by id limit ${sql.lit(BATCH)} for update skip locked)
      returning question_id, extract(epoch from now() - queued_at)::float8 * 1000 as waited`.execute(write)
    await indexQuestions(write, [...new Set(rows.map((row) => row.question_id))])
    return { taken: rows.length, waited: Math.max(0, ...rows.map((row) => row.waited)) }
  })
}

/** Makes all documents that wait: what tests and commands call where no job does. */
export async function indexQueued(db: Database): Promise<void> {
  while ((await indexBatch(db)).taken > 0);
}

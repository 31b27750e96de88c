import type { Database, Write } from '../../database/schema.ts'
import { enqueue } from '../../jobs/table.ts'

/** The kind of the jobs that make search documents. */
export const SEARCH = 'search'

/**
 * Has the document of a question made again after this transaction: for posts, of which a thread may get many a second, and
 * whose documents cost more than they do. Commands that change or delete posts call indexQuestions instead, which
 * leaves long threads to a job too.
 */
export function queueForSearch(write: Database | Write, questionId: number): Promise<void> {
  return enqueue(write, SEARCH, questionId)
}

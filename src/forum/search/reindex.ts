import { sql } from 'kysely'
import type { Database, Write } from '../../database/schema.ts'
import { TERMS_VERSION } from './document.ts'
import { makeDocuments } from './index-question.ts'

const BATCH = 100

/** How many questions have no search document, or one that older rules made. */
export async function countStaleDocuments(db: Database | Write): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from questions as q
    left join search_documents as d on d.question_id = q.id and d.terms_version = ${TERMS_VERSION}
    where q.is_listed and d.question_id is null`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Makes the search documents that are missing or old, a batch of questions at a time by id, so that others write between.
 * @param onBatch gets the number of questions done since it was called last
 */
export async function indexStaleQuestions(
  db: Database,
  onBatch: (questions: number) => void = () => undefined,
): Promise<void> {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select q.id from questions as q
      left join search_documents as d on d.question_id = q.id and d.terms_version = ${TERMS_VERSION}
      where q.id > ${last} and q.is_listed and d.question_id is null order by q.id limit ${BATCH}`.execute(db)
    const ids = rows.map((row) => row.id)
    if (ids.length === 0) return
    // A question that is being changed right now is waited for: its document must be made of what it becomes.
    await makeDocuments(db, ids, { waits: true })
    last = ids.at(-1) ?? last
    onBatch(ids.length)
  }
}

import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'

/**
 * What search would be out of the box: to_tsvector('english') over title and body, ts_rank_cd.
 * @param way 'all' of the words, as plainto_tsquery has it, or 'any' of them, for similar questions
 */
export async function baselineSearch(
  db: Database,
  text: string,
  way: 'all' | 'any',
  scope: { readonly courseId: number; readonly exceptId: number | null },
): Promise<number[]> {
  const plain = sql`plainto_tsquery('english', ${text})`
  const query = way === 'all' ? plain : sql`replace(${plain}::text, '&', '|')::tsquery`
  const { rows } = await sql<{ id: number }>`
    select id from baseline_documents, (select ${query} as query) as asked
    where terms @@ query and course_id = ${scope.courseId} and id <> ${scope.exceptId ?? 0}
    order by ts_rank_cd(terms, query) desc, id limit 10`.execute(db)
  return rows.map((found) => found.id)
}

/** Makes the baseline's documents, beside ours. */
export async function makeBaseline(db: Database): Promise<void> {
  await sql`drop table if exists baseline_documents`.execute(db)
  await sql`
    create table baseline_documents as
    select id, course_id, to_tsvector('english', title || ' ' || body) as terms from questions where deleted_at is null`.execute(
    db,
  )
  await sql`create index on baseline_documents using gin (terms)`.execute(db)
  await sql`analyze baseline_documents`.execute(db)
}

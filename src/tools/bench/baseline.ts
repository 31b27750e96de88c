import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** The baseline: PostgreSQL's full-text search as it comes, all words in title and body, ranked by ts_rank_cd. */
export async function baselineSearch(db: Database, courseId: number, text: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from baseline_documents, plainto_tsquery('english', ${text}) as query
    where terms @@ query and course_id = ${courseId}
    order by ts_rank_cd(terms, query) desc, id limit 10`.execute(db)
  return rows.map((found) => found.id)
}

/** Creates the baseline's documents beside ours. */
export async function makeBaseline(db: Database): Promise<void> {
  await sql`drop table if exists baseline_documents`.execute(db)
  await sql`
    create table baseline_documents as
    select id, course_id, to_tsvector('english', title || ' ' || body) as terms from questions where is_shown`.execute(
    db,
  )
  await sql`create index on baseline_documents using gin (terms)`.execute(db)
  await sql`analyze baseline_documents`.execute(db)
}

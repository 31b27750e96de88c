import { sql } from 'kysely'
import type { Database, Write } from '../database/schema.ts'

/** Beyond this many documents a sample tells how frequent terms are as well as counting all of them does. */
const SAMPLE = 200_000

/**
 * Counts anew how many documents have each term, and how many titles and tags each word. Searches work with old numbers,
 * or none: they decide which way a search goes and how much a term tells, never what is found.
 */
export async function refreshStatistics(db: Database | Write): Promise<void> {
  const { rows } = await sql<{ documents: number }>`select count(*) as documents from search_documents`.execute(db)
  const documents = rows[0]?.documents ?? 0
  const share = Math.min(1, SAMPLE / Math.max(documents, 1))
  const sample = share === 1 ? '' : ` tablesample system (${share * 100}) repeatable (1)`
  await sql`
    merge into search_terms as known
    using (select word as term, ceil(ndoc / ${share}::float8)::integer as documents_count
      from ts_stat(${`select terms from search_documents${sample}`})) as counted on counted.term = known.term
    when matched and known.documents_count <> counted.documents_count then
      update set documents_count = counted.documents_count
    when not matched by target then insert (term, documents_count) values (counted.term, counted.documents_count)
    when not matched by source then delete`.execute(db)
  await sql`
    merge into search_words as known
    using (select word, count(*) as questions_count from (
        select distinct question.id, lower(found.word) as word
        from questions as question, regexp_split_to_table(question.title, '[^[:alnum:]+#@-]+') as found (word)
        where question.deleted_at is null and char_length(found.word) between 3 and 40
        union select question_tags.question_id, tags.name from question_tags join tags on tags.id = question_tags.tag_id
      ) as words group by word) as counted on counted.word = known.word
    when matched and known.questions_count <> counted.questions_count then
      update set questions_count = counted.questions_count
    when not matched by target then insert (word, questions_count) values (counted.word, counted.questions_count)
    when not matched by source then delete`.execute(db)
}

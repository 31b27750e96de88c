import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { quoted } from './document.ts'

/** What a beginning stands for: tsquery text, and about how many documents have one of those words. */
export interface Beginning {
  readonly match: string
  readonly count: number
}

/** Up to this number of documents PostgreSQL collects all words with the prefix; beyond, only the commonest are listed. */
const MAX_COLLECTED = 20_000
const MAX_NAMED = 40

/** The words that begin so, as last counted. Uses index search_terms_prefix. */
export async function findBeginning(db: Database, beginning: string): Promise<Beginning> {
  const pattern = `${beginning.replaceAll(/[\\%_]/g, '\\$&')}%`
  const { rows } = await sql<{ term: string; documents_count: number; sum: number }>`
    select term, documents_count, sum(documents_count) over () as sum from search_terms
    where term like ${pattern} and strpos(term, ' ') = 0 order by documents_count desc limit ${MAX_NAMED}`.execute(
    db,
  )
  const count = Number(rows[0]?.sum ?? 0)
  if (count <= MAX_COLLECTED) return { match: `${quoted(beginning)}:*`, count }
  return { match: rows.map(({ term }) => quoted(term)).join(' | '), count }
}

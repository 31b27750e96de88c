import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { atMost } from '../../text/at-most.ts'
import { quoted } from './document.ts'

/** What a beginning stands for: tsquery text, and about how many documents have one of those words. */
export interface Beginning {
  readonly match: string
  readonly count: number
}

/** Up to this number of documents PostgreSQL collects all words with the prefix; beyond, only the commonest are listed. */
const MAX_COLLECTED = 20_000
const MAX_NAMED = 40

/** What people type begins alike. For as long as counts of words are remembered: statistics.ts. */
const MAX_REMEMBERED = 2000
const REMEMBERED_MS = 600_000
const remembered = new WeakMap<Database, LRUCache<string, Beginning>>()

/** After words were counted. */
export function forgetBeginnings(db: Database): void {
  remembered.delete(db)
}

/** The words that begin so, as last counted. */
export async function findBeginning(db: Database, beginning: string): Promise<Beginning> {
  const known =
    remembered.get(db) ?? new LRUCache<string, Beginning>({ ...atMost(MAX_REMEMBERED), ttl: REMEMBERED_MS })
  remembered.set(db, known)
  const found = known.get(beginning)
  if (found !== undefined) return found
  const read = await readBeginning(db, beginning)
  known.set(beginning, read)
  return read
}

/** Uses index search_terms_prefix. */
async function readBeginning(db: Database, beginning: string): Promise<Beginning> {
  const { rows } = await sql<{ term: string; documents_count: number; sum: number }>`
    select term, documents_count, sum(documents_count) over () as sum from search_terms
    where term ~>=~ ${beginning} and term ~<=~ ${`${beginning}\uffff`} and strpos(term, ' ') = 0 order by documents_count desc limit ${MAX_NAMED}`.execute(
    db,
  )
  const count = Number(rows[0]?.sum ?? 0)
  if (count <= MAX_COLLECTED) return { match: `${quoted(beginning)}:*`, count }
  return { match: rows.map(({ term }) => quoted(term)).join(' | '), count }
}

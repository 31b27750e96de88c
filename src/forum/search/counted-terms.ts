import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'

/** In a forum with more counted terms than this, those that are asked for are read: about 100 bytes each, and 1 µs to read. */
const MAX_TERMS = 30_000
/** How long another process's recount may go unnoticed, and what was taken back since: src/forum/purging/forget-words.ts. */
const CHECKED_MS = 60_000
const READ_AGAIN_MS = 600_000

/** All rows of search_terms, as last counted. */
export interface CountedTerms {
  readonly counts: ReadonlyMap<string, number>
  /** In their order, so that those with a prefix stand together. */
  readonly terms: readonly string[]
}

interface Known {
  /** null: there are too many. */
  readonly counted: CountedTerms | null
  /** Of the recount they are from; null: there was none. */
  readonly version: string | null
}

interface Remembered {
  known: Promise<Known>
  readonly readAt: number
  checkedAt: number
}

const remembered = new WeakMap<Database, Remembered>()

/** After terms were counted. */
export function forgetCountedTerms(db: Database): void {
  remembered.delete(db)
}

/** Every counted term of a forum that has not too many; null: it has, and they are read one by one. */
export async function countedTerms(db: Database): Promise<CountedTerms | null> {
  const now = Date.now()
  const last = remembered.get(db)
  if (last === undefined || now - last.readAt > READ_AGAIN_MS) return (await remember(db, now).known).counted
  if (now - last.checkedAt <= CHECKED_MS) return (await last.known).counted
  last.checkedAt = now
  const [known, version] = await Promise.all([last.known, readVersion(db)])
  if (known.version === version) return known.counted
  return (await remember(db, now).known).counted
}

function remember(db: Database, now: number): Remembered {
  const made = { known: readTerms(db), readAt: now, checkedAt: now }
  remembered.set(db, made)
  made.known.catch(() => {
    if (remembered.get(db) === made) remembered.delete(db)
  })
  return made
}

/** Each recount writes the row of the total anew (statistics.ts), so that the transaction it is from tells them apart. */
const VERSION = sql<string | null>`(select xmin::text from search_terms where term = '')`

async function readVersion(db: Database): Promise<string | null> {
  const { rows } = await sql<{ version: string | null }>`select ${VERSION} as version`.execute(db)
  return rows[0]?.version ?? null
}

/** As two arrays: one row costs Node a tenth of thousands of them. */
async function readTerms(db: Database): Promise<Known> {
  const { rows } = await sql<{ version: string | null; terms: string[] | null; counts: number[] | null }>`
    select ${VERSION} as version, json_agg(term) as terms, json_agg(documents_count) as counts
    from (select term, documents_count from search_terms where documents_count > 0 limit ${sql.lit(MAX_TERMS + 1)}) as counted`.execute(
    db,
  )
  const { version = null, terms, counts } = rows[0] ?? {}
  const all = terms ?? []
  if (all.length > MAX_TERMS) return { counted: null, version }
  const known = new Map(all.map((term, index) => [term, counts?.[index] ?? 0]))
  return { counted: { counts: known, terms: all.sort() }, version }
}

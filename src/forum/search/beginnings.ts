import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../database/schema.ts'
import { atMost } from '../../text/words/remembered.ts'
import { quoted } from './document.ts'

/** Up to this number of documents PostgreSQL collects all words with the prefix; beyond, only the commonest are listed. */
const MAX_COLLECTED = 20_000
const MAX_NAMED = 40

/** What people type begins alike. For as long as counts of words are remembered: statistics.ts. */
const MAX_REMEMBERED = 2000
const REMEMBERED_MS = 600_000
const remembered = new WeakMap<Database, LRUCache<string, ReturnType<typeof beginningOf>>>()

/** After words were counted. */
export function forgetBeginnings(db: Database): void {
  remembered.delete(db)
}

/** What the words that begin so are, as last counted: tsquery text, and about how many documents have one of them. */
export async function findBeginning(db: Database, beginning: string) {
  const known =
    remembered.get(db) ??
    new LRUCache<string, ReturnType<typeof beginningOf>>({ ...atMost(MAX_REMEMBERED), ttl: REMEMBERED_MS })
  remembered.set(db, known)
  const found = known.get(beginning)
  if (found !== undefined) return found
  const terms = await countedTerms(db)
  const begun = terms === null ? await readBegun(db, beginning) : begunAmong(terms, beginning)
  const read = beginningOf(beginning, begun)
  known.set(beginning, read)
  return read
}

/** @param begun how many documents have each word with the prefix, summed up, and the commonest of them */
function beginningOf(beginning: string, { sum, commonest }: ReturnType<typeof begunAmong>) {
  if (sum <= MAX_COLLECTED) return { match: `${quoted(beginning)}:*`, count: sum }
  return { match: commonest.map(quoted).join(' | '), count: sum }
}

/** Words are terms without a blank: places.ts. */
function begunAmong({ terms, counts }: CountedTerms, beginning: string) {
  const begun: { term: string; count: number }[] = []
  for (let at = firstFrom(terms, beginning); terms[at]?.startsWith(beginning) === true; at += 1) {
    const term = terms[at] ?? ''
    if (!term.includes(' ')) begun.push({ term, count: counts.get(term) ?? 0 })
  }
  begun.sort((one, other) => other.count - one.count)
  return {
    sum: begun.reduce((sum, { count }) => sum + count, 0),
    commonest: begun.slice(0, MAX_NAMED).map(({ term }) => term),
  }
}

/** Where in an order the first term is that does not come before a text. */
function firstFrom(terms: readonly string[], text: string): number {
  let [from, to] = [0, terms.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((terms[middle] ?? '') < text) from = middle + 1
    else to = middle
  }
  return from
}

/** Uses index search_terms_prefix. */
async function readBegun(db: Database, beginning: string) {
  const { rows } = await sql<{ term: string; sum: number }>`
    select term, sum(documents_count) over () as sum from search_terms
    where term ~>=~ ${beginning} and term ~<=~ ${`${beginning}\uffff`} and strpos(term, ' ') = 0
    order by documents_count desc limit ${MAX_NAMED}`.execute(db)
  return { sum: Number(rows[0]?.sum ?? 0), commonest: rows.map(({ term }) => term) }
}

/** In a forum with more counted terms than this, those that are asked for are read: about 100 bytes each, and 1 µs to read. */
const MAX_TERMS = 30_000
/** How long another process's recount may go unnoticed, and what was taken back since: src/forum/purging/leavers-posts.ts. */
const CHECKED_MS = 60_000
const READ_AGAIN_MS = 600_000

/** All rows of search_terms, as last counted. */
interface CountedTerms {
  readonly counts: ReadonlyMap<string, number>
  /** In their order, so that those with a prefix stand together. */
  readonly terms: readonly string[]
}

const rememberedTerms = new WeakMap<Database, ReturnType<typeof remember>>()

/** After terms were counted. */
export function forgetCountedTerms(db: Database): void {
  rememberedTerms.delete(db)
}

/** Every counted term of a forum that has not too many; null: it has, and they are read one by one. */
export async function countedTerms(db: Database): Promise<CountedTerms | null> {
  const now = Date.now()
  const last = rememberedTerms.get(db)
  if (last === undefined || now - last.readAt > READ_AGAIN_MS) return (await remember(db, now).known).counted
  if (now - last.checkedAt <= CHECKED_MS) return (await last.known).counted
  last.checkedAt = now
  const [known, version] = await Promise.all([last.known, readVersion(db)])
  if (known.version === version) return known.counted
  return (await remember(db, now).known).counted
}

function remember(db: Database, now: number) {
  const made = { known: readTerms(db), readAt: now, checkedAt: now }
  rememberedTerms.set(db, made)
  made.known.catch(() => {
    if (rememberedTerms.get(db) === made) rememberedTerms.delete(db)
  })
  return made
}

/** Each recount writes the row of the total anew (statistics.ts), so that the transaction it is from tells them apart. */
const VERSION = sql<string | null>`(select xmin::text from search_terms where term = '')`

async function readVersion(db: Database): Promise<string | null> {
  const { rows } = await sql<{ version: string | null }>`select ${VERSION} as version`.execute(db)
  return rows[0]?.version ?? null
}

/**
 * As two arrays: one row costs Node a tenth of thousands of them.
 * @returns `counted` null: there are too many; `version`: of the recount they are from, null: there was none
 */
async function readTerms(db: Database): Promise<{ counted: CountedTerms | null; version: string | null }> {
  const { rows } = await sql<{ version: string | null; terms: string[] | null; counts: number[] | null }>`
    select ${VERSION} as version, json_agg(term) as terms, json_agg(documents_count) as counts
    from (select term, documents_count from search_terms
      where documents_count > 0 limit ${sql.lit(MAX_TERMS + 1)}) as counted`.execute(db)
  const { version = null, terms, counts } = rows[0] ?? {}
  const all = terms ?? []
  if (all.length > MAX_TERMS) return { counted: null, version }
  const known = new Map(all.map((term, index) => [term, counts?.[index] ?? 0]))
  return { counted: { counts: known, terms: all.sort() }, version }
}

import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { textsOfAnyNumber } from '../../database/compiled.ts'
import type { Database, Write } from '../../database/schema.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'
import { atMost } from '../../text/words/remembered.ts'
import { quoted } from './document.ts'
import { type ClassCounts, PLACE_PREFIX, PLACE_TERMS } from './places.ts'

/** Beyond this many documents a sample tells how frequent terms are as well as counting all of them does. */
const SAMPLE = 200_000
/** The row that tells how many documents there were: no term is empty. */
const TOTAL = ''
/** Any number nobody else uses for an advisory lock of this database. */
const LOCK = 7_340_120_621

/**
 * Recounts how many documents have each term, and how many titles and tags each word. Searches work with old numbers,
 * or none: they decide which way a search goes and how much a term tells, never what is found.
 */
export async function refreshStatistics(db: Database): Promise<void> {
  await db.transaction().execute(async (write) => {
    await sql`set local statement_timeout = '30min'`.execute(write)
    // Several processes may want to: one does it, the others have its numbers.
    const { rows } = await sql<{ is_mine: boolean }>`
      select pg_try_advisory_xact_lock(${LOCK}) as is_mine`.execute(write)
    if (rows[0]?.is_mine !== true) return
    await countTerms(write)
    await countWords(write)
  })
  remembered.delete(db)
  beginnings.delete(db)
}

/** How many counts are remembered, and for how long: they are as old as the last counting anyway. */
const MAX_REMEMBERED = 20_000
const REMEMBERED_MS = 60_000

const remembered = new WeakMap<Database, LRUCache<string, number>>()

export type DocumentCounts = Awaited<ReturnType<typeof countDocuments>>

/**
 * How many documents have each of these terms, and how many documents there are, as last counted.
 * @returns `counts` of the terms that some document has; `countOf`: never below one, as a term that was not counted yet may be in a
 *   document of now
 */
export async function countDocuments(db: Database, lexemes: readonly string[]) {
  const known =
    remembered.get(db) ?? new LRUCache<string, number>({ ...atMost(MAX_REMEMBERED), ttl: REMEMBERED_MS })
  remembered.set(db, known)
  const counts = new Map<string, number>()
  const unknown: string[] = []
  for (const term of [TOTAL, ...lexemes]) {
    const count = known.get(term)
    if (count === undefined) unknown.push(term)
    else counts.set(term, count)
  }
  if (unknown.length > 0) {
    for (const { term, count } of await readCounts(db, unknown)) {
      // A term that is nowhere is not remembered: the next post may bring it.
      if (count === 0) continue
      known.set(term, count)
      counts.set(term, count)
    }
  }
  const total = Math.max(counts.get(TOTAL) ?? 1, 1)
  counts.delete(TOTAL)
  return { counts, total, countOf: (lexeme: string) => Math.max(counts.get(lexeme) ?? 1, 1) }
}

/**
 * How many documents have each of these terms, and how many there are: as last counted, and as they are where no recount has met a
 * term, which is new, so that few have it. By primary key, and with index search_documents_terms.
 */
async function readCounts(db: Database, terms: readonly string[]) {
  const queries = terms.map((term) => (term === TOTAL ? null : quoted(term)))
  const { rows } = await sql<{ term: string; count: number }>`
    select asked.term, coalesce(counted.documents_count,
      case when query is null then (select sum(questions_count) from courses)
        else (select count(*) from search_documents where terms @@ query) end, 0)::integer as count
    from unnest(${textsOfAnyNumber(terms)}, ${textsOfAnyNumber(queries)}::tsquery[]) as asked (term, query)
    left join search_terms as counted on counted.term = asked.term`.execute(db)
  return rows
}

export async function countClasses(db: Database): Promise<ClassCounts> {
  const { rows } = await sql<{ term: string; documents_count: number }>`
    select term, documents_count from search_terms where term = any(${PLACE_TERMS})`.execute(db)
  return new Map(
    rows.map(({ term, documents_count: count }) => [Number(term.slice(PLACE_PREFIX.length)), count]),
  )
}

/** Up to this number of documents PostgreSQL collects all words with the prefix; beyond, only the commonest are listed. */
const MAX_COLLECTED = 20_000
const MAX_NAMED = 40
const MAX_BEGINNINGS = 2000
const BEGINNING_MS = 600_000
const beginnings = new WeakMap<Database, LRUCache<string, Awaited<ReturnType<typeof readBeginning>>>>()

/** What the words that begin so are, as last counted: tsquery text, and about how many documents have one of them. */
export async function findBeginning(db: Database, beginning: string) {
  const known =
    beginnings.get(db) ??
    new LRUCache<string, Awaited<ReturnType<typeof readBeginning>>>({
      ...atMost(MAX_BEGINNINGS),
      ttl: BEGINNING_MS,
    })
  beginnings.set(db, known)
  const found = known.get(beginning) ?? (await readBeginning(db, beginning))
  known.set(beginning, found)
  return found
}

/** Words are terms without a blank: places.ts. Uses index search_terms_prefix. */
async function readBeginning(db: Database, beginning: string) {
  const { rows } = await sql<{ term: string; sum: number }>`
    select term, sum(documents_count) over () as sum from search_terms
    where term ~>=~ ${beginning} and term ~<=~ ${`${beginning}\uffff`} and strpos(term, ' ') = 0
    order by documents_count desc limit ${MAX_NAMED}`.execute(db)
  const count = Number(rows[0]?.sum ?? 0)
  const named = rows.map(({ term }) => quoted(term)).join(' | ')
  return { match: count <= MAX_COLLECTED ? `${quoted(beginning)}:*` : named, count }
}

/** Recounts when a twentieth of the documents is new since it was done last, or it never was. */
export const refreshOldStatistics = (db: Database) => refreshWhereOld(db, Number.POSITIVE_INFINITY)

/** In a forum with fewer documents a recount costs little, and each new word tells much. */
const YOUNG = 1000

/** The same in a young forum, often: its spelling help and initial consonants are of words that were counted. */
export const refreshYoungStatistics = (db: Database) => refreshWhereOld(db, YOUNG)

/** @param below how many documents there were at most when they were counted last */
async function refreshWhereOld(db: Database, below: number): Promise<void> {
  const { rows } = await sql<{ is_old: boolean }>`
    select (select count(*) from search_documents)
      not between documents_count * 0.95 and documents_count * 1.05 as is_old
    from (select coalesce(max(documents_count), 0) as documents_count
      from search_terms where term = ${TOTAL}) as last
    where documents_count < ${below}::float8`.execute(db)
  if (rows[0]?.is_old === true) await refreshStatistics(db)
}

async function countTerms(write: Write): Promise<void> {
  const { rows } = await sql<{ documents: number }>`
    select count(*) as documents from search_documents`.execute(write)
  const documents = rows[0]?.documents ?? 0
  const share = Math.min(1, SAMPLE / Math.max(documents, 1))
  const sample = share === 1 ? '' : ` tablesample system (${share * 100}) repeatable (1)`
  await sql`
    create temporary table counted_terms on commit drop as
    select word as term, ceil(ndoc / ${sql.lit(share)}::float8)::integer as documents_count
    from ts_stat(${sql.lit(`select terms from search_documents${sample}`)})`.execute(write)
  await sql`insert into counted_terms (term, documents_count) values (${TOTAL}, ${documents})`.execute(write)
  await sql`
    insert into counted_terms (term, documents_count)
    select ${PLACE_PREFIX}::text || places[1], ceil(count(*) / ${share}::float8)::integer
    from ${sql.raw(`search_documents${sample}`)} group by places[1]`.execute(write)
  await sql`
    insert into search_terms as known (term, documents_count) select term, documents_count from counted_terms
    on conflict (term) do update set documents_count = excluded.documents_count
    where known.documents_count <> excluded.documents_count or known.term = ${TOTAL}`.execute(write)
  await sql`
    delete from search_terms as known
    where not exists (select from counted_terms where counted_terms.term = known.term)`.execute(write)
}

/** Korean words are told apart by two syllables, others by three letters. */
const IS_WORD = sql`char_length(word) between case when word ~ '^[가-힣]' collate "C" then 2 else 3 end and 40`

/** Of public courses only: a suggestion must not tell what a private one talks about. */
async function countWords(write: Write): Promise<void> {
  await sql`
    create temporary table counted_words on commit drop as
    with public_questions as (
      select q.id, q.title from questions as q join courses as course on course.id = q.course_id
      where q.is_listed and ${visibleTo(null)}
    ), words as (
      select distinct id, lower(word) as word
      from public_questions, regexp_split_to_table(title, '[^[:alnum:]+#@-]+') as word
      where ${IS_WORD}
      union
      select public_questions.id, word from public_questions
      join question_tags on question_tags.question_id = public_questions.id join tags on tags.id = question_tags.tag_id
      cross join lateral (select tags.name union select unnest(string_to_array(tags.name, '-'))) as own (word)
      where ${IS_WORD}
    )
    select word, count(*)::integer as questions_count from words group by word`.execute(write)
  await sql`
    insert into search_words as known (word, questions_count) select word, questions_count from counted_words
    on conflict (word) do update set questions_count = excluded.questions_count
    where known.questions_count <> excluded.questions_count`.execute(write)
  await sql`
    delete from search_words as known
    where not exists (select from counted_words where counted_words.word = known.word)`.execute(write)
}

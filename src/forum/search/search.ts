import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { type ReadableCourses, readableCourses } from '../../kernel/rights/visibility.ts'
import {
  type Beside,
  type Candidates,
  countCandidates,
  lookIn,
  type Narrowing,
  NOBODY,
  NOTHING_BESIDE,
} from './candidates.ts'
import { courseSynonyms } from './course-synonyms.ts'
import { isReranked, RERANKED, reranked } from './embeddings/reranking.ts'
import { learnedFor, type RankedHit, withLearned } from './learning/learned.ts'
import { inWays, MAX_RANKED, planLoosely, planSearch, type SearchPlan, type Source } from './plan.ts'
import { isNarrowed, parseQuery, type SearchQuery, withCorrections, withSynonyms } from './query.ts'
import { EXACTLY_RANKED, type RankTerm, rankOf } from './rank.ts'
import { type Corrections, corrected, correctionsOf } from './spelling.ts'
import { countDocuments } from './statistics.ts'

export interface SearchResult {
  readonly hits: readonly RankedHit[]
  /** How many were found; `isMore`: at least that number. */
  readonly count: number
  readonly isMore: boolean
  /** From which hit on some words are missing, since few questions have all of them; null: every hit has them all. */
  readonly looseFrom: number | null
  /** What was found, also beyond the hits, and beside them. */
  readonly found: Candidates
  /** What was searched for: the query, with what means the same in its course. */
  readonly query: SearchQuery
  readonly corrections: Corrections | null
}

export const MAX_HITS = 100

const NOTHING = {
  hits: [],
  count: 0,
  isMore: false,
  looseFrom: null,
  found: NOBODY,
  corrections: null,
} as const

export interface SearchOptions {
  /** The courses somebody may read, where they are known: of the filter's course alone if there is one. */
  readonly readable?: ReadableCourses
  readonly size?: number
  readonly beside?: Omit<Beside, 'learned'>
  /** Whether an embedding endpoint ranks them once more: not while someone types. */
  readonly byMeaning?: boolean
  /** Whether the words are as others spell them, or someone is still typing them: nothing is corrected. */
  readonly isSpelt?: boolean
}

/** Finds questions somebody may read. Work is bounded whatever is asked: see plan.ts. */
export async function search(
  db: Database,
  viewer: Actor | null,
  asked: SearchQuery,
  {
    readable,
    size = MAX_HITS,
    beside = NOTHING_BESIDE,
    byMeaning = false,
    isSpelt = false,
  }: SearchOptions = {},
): Promise<SearchResult> {
  if (isEmpty(asked)) return { ...NOTHING, query: asked }
  const { course } = asked.filters
  const narrowed = course === null ? undefined : sql<boolean>`course.slug = ${course}`
  const courses = readable ?? (await readableCourses(db, viewer, narrowed))
  if (courses.ids.length === 0) return { ...NOTHING, query: asked }
  const synonyms = await courseSynonyms(db, courses)
  const query = synonyms === null ? asked : withSynonyms(asked, synonyms)
  const narrowing = { filters: query.filters, courses }
  const plan = await planSearch(db, query, courses)
  let [corrections, meant]: [Corrections | null, SearchQuery] = [null, query]
  // A word that nobody wrote is looked for as the one that was meant, among those of which some may be missing.
  const loosely = async () => {
    if (query.groups.length > 1 && !isSpelt) {
      corrections = await correctionsOf(db, viewer, query.text)
      if (corrections.size > 0) meant = withCorrections(query, corrections, synonyms)
    }
    const counted = meant === query ? plan.counted : await countDocuments(db, inWays(meant.groups))
    return planLoosely(meant, counted, plan.wide)
  }
  const isTwiceRanked = byMeaning && isReranked(db)
  // All pages of results are cut from one order.
  const most = isTwiceRanked ? Math.max(size, RERANKED) : size
  const looked = await lookInTurn(db, narrowing, plan, loosely, {
    size: most,
    beside: { ...beside, learned: learnedFor(query, courses) },
  })
  const { found, sources } = looked
  const whole = looked.looseFrom === null ? looked.hits : looked.hits.slice(0, looked.looseFrom)
  const taught = await withLearned(db, courses, plan.rankTerms, whole, found.learned ?? [])
  const known = new Set(taught.map(({ id }) => id))
  const loose = looked.hits.slice(whole.length).filter(({ id }) => !known.has(id))
  const typed = { typed: query.text, mayBePrivate: false }
  // Results with all the words stay before the others.
  const parts = isTwiceRanked
    ? await Promise.all([taught, loose].map((part) => reranked(db, part, typed, courses)))
    : [taught, loose]
  const hits = parts.flat().slice(0, size)
  const looseFrom = looked.looseFrom === null ? null : Math.min(taught.length, hits.length)
  const isWhole = sources.some((source) => source.isWhole)
  const counted =
    isWhole || plan.whole === null ? found.count : await countCandidates(db, narrowing, plan.whole)
  const count = Math.max(counted, hits.length)
  const isMore = count >= MAX_RANKED || (!isWhole && plan.whole === null)
  return { hits, count, isMore, looseFrom, found, query: meant, corrections }
}

/** With fewer questions that have all the words one of them may be misspelt. */
const FEW = 3

/** The search as others spell its words, where that finds more; null: it does not. Shown at once where nothing has the words typed. */
export async function speltBetter(
  db: Database,
  viewer: Actor | null,
  query: SearchQuery,
  asTyped: SearchResult,
  options: SearchOptions & { readonly isSpelt: boolean },
) {
  const found = asTyped.looseFrom ?? asTyped.count
  if (found >= FEW) return null
  const corrections = asTyped.corrections ?? (await correctionsOf(db, viewer, query.text))
  const text = corrected(query.text, corrections)
  if (text === null) return null
  const better = parseQuery(text)
  const result = await search(db, viewer, better, { ...options, isSpelt: true })
  const isShown = found === 0 && !options.isSpelt
  const findsMore = (result.looseFrom ?? result.count) > found
  // Questions with some of the words were found by those that were meant: the page says so.
  const isCorrected = isShown && result.count > 0 && (asTyped.corrections?.size ?? 0) > 0
  return findsMore || isCorrected ? { query: better, result, isShown } : null
}

interface SearchLook {
  readonly found: Candidates
  readonly hits: readonly RankedHit[]
  readonly sources: readonly Source[]
  readonly looseFrom: number | null
}

/** Makes one attempt after another until one finds enough; what has only some of the words follows if none did. */
async function lookInTurn(
  db: Database,
  narrowing: Narrowing,
  plan: SearchPlan,
  loosely: () => Promise<ReturnType<typeof planLoosely>>,
  { size, beside }: { readonly size: number; readonly beside: Beside },
): Promise<SearchLook> {
  const look = (
    sources: readonly Source[],
    terms: readonly RankTerm[],
    rank: RawBuilder<number>,
    readsDocument: boolean,
  ) => {
    const columns = sql`q.id, q.title, q.status, q.duplicate_of, ${rank} as rank`
    const best = {
      columns,
      rank: sql<number>`rank`,
      readsDocument,
      size,
      ranked: EXACTLY_RANKED,
      exceptId: null,
    }
    return lookIn<RankedHit>(db, narrowing, sources, terms, best, beside)
  }
  const terms = plan.rankTerms
  let result: SearchLook = { found: NOBODY, hits: [], sources: [], looseFrom: null }
  for (const sources of plan.attempts) {
    result = { ...(await look(sources, terms, rankOf(terms), terms.length !== 1)), sources, looseFrom: null }
    if (result.found.count >= FEW) return result
  }
  const some = await loosely()
  if (some === null) return result
  const loose = await look([some.source], some.terms, some.rank, true)
  if (loose.found.count <= result.found.count) return result
  const whole = new Set(result.hits.map(({ id }) => id))
  const hits = [...result.hits, ...loose.hits.filter(({ id }) => !whole.has(id))].slice(0, size)
  return { found: loose.found, hits, sources: [some.source], looseFrom: result.hits.length }
}

function isEmpty({ groups, phrases, excluded, filters }: SearchQuery): boolean {
  const words = groups.length + phrases.length + excluded.length
  return words === 0 && filters.course === null && !isNarrowed(filters)
}

import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { type ReadableCourses, readableCourses } from '../../kernel/rights/visibility.ts'
import {
  type Beside,
  type Candidates,
  countCandidates,
  lookIn,
  NOBODY,
  NOTHING_BESIDE,
} from './candidates.ts'
import { courseSynonyms } from './course-synonyms.ts'
import { rankedByMeaning, wantedByMeaning } from './embeddings/reranking.ts'
import { learnedFor, type RankedHit, rankedByLearned } from './learning/learned.ts'
import { inWays, MAX_RANKED, planLoosely, planSearch, type SearchStep, type Source } from './plan.ts'
import { isNarrowed, parseQuery, type SearchQuery, withCorrections, withSynonyms } from './query.ts'
import { EXACTLY_RANKED, type Ranker } from './rank.ts'
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
  const synonyms = courseSynonyms(courses)
  const query = synonyms === null ? asked : withSynonyms(asked, synonyms)
  const narrowing = { filters: query.filters, courses }
  const plan = await planSearch(db, query, courses)
  const all: Beside = { ...beside, learned: learnedFor(query, courses) }
  // All pages of results are cut from one order.
  const most = byMeaning ? wantedByMeaning(db, size) : size
  const look = ({ sources, terms, rank }: SearchStep) => {
    const columns = sql`q.id, q.title, q.status, q.duplicate_of, ${rank} as rank`
    const best = { columns, rank: sql<number>`rank`, size: most, ranked: EXACTLY_RANKED, exceptId: null }
    return lookIn<RankedHit>(db, narrowing, sources, terms, best, all)
  }
  let [looked, sources]: [typeof NOT_LOOKED, readonly Source[]] = [NOT_LOOKED, []]
  for (const step of plan.steps) {
    if (looked.found.count >= FEW) break
    looked = await look(step)
    sources = step.sources
  }
  const whole = looked
  let [meant, corrections]: [SearchQuery, Corrections | null] = [query, null]
  if (whole.found.count < FEW) {
    // A word that nobody wrote is looked for as the one that was meant, among those of which some may be missing.
    if (query.groups.length > 1 && !isSpelt) {
      corrections = await correctionsOf(db, viewer, query.text)
      if (corrections.size > 0) meant = withCorrections(query, corrections, synonyms)
    }
    const counted = meant === query ? plan.counted : await countDocuments(db, inWays(meant.groups))
    const step = planLoosely(meant, counted, plan.wide)
    const loose = step === null ? null : await look(step)
    if (step !== null && loose !== null && loose.found.count > whole.found.count)
      [looked, sources] = [loose, step.sources]
  }
  const meaning = byMeaning
    ? [rankedByMeaning<RankedHit>(db, { typed: query.text, mayBePrivate: false }, courses)]
    : []
  const learned = rankedByLearned(db, courses, plan.terms, looked.found.learned ?? [])
  const first = await inOrderOf([learned, ...meaning], whole.hits)
  // Results with all the words stay before the others.
  const known = new Set([...whole.hits, ...first].map(({ id }) => id))
  const others = looked.hits.filter(({ id }) => !known.has(id))
  const hits = [...first, ...(await inOrderOf(meaning, others))].slice(0, size)
  const looseFrom = looked === whole ? null : Math.min(first.length, hits.length)
  const isWhole = sources.some((source) => source.isWhole)
  const counted =
    isWhole || plan.whole === null ? looked.found.count : await countCandidates(db, narrowing, plan.whole)
  const count = Math.max(counted, hits.length)
  const isMore = count >= MAX_RANKED || (!isWhole && plan.whole === null)
  return { hits, count, isMore, looseFrom, found: looked.found, query: meant, corrections }
}

const NOT_LOOKED: { readonly found: Candidates; readonly hits: readonly RankedHit[] } = {
  found: NOBODY,
  hits: [],
}

async function inOrderOf(rankers: readonly Ranker<RankedHit>[], hits: readonly RankedHit[]) {
  let ordered = hits
  for (const rank of rankers) ordered = await rank(ordered)
  return ordered
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

function isEmpty({ groups, phrases, excluded, filters }: SearchQuery): boolean {
  const words = groups.length + phrases.length + excluded.length
  return words === 0 && filters.course === null && !isNarrowed(filters)
}

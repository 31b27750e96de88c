import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { readableCourses } from '../../rights/readable.ts'
import type { Actor } from '../../rights/rights.ts'
import { type Candidates, countCandidates, findCandidates, type Narrowing } from './candidates.ts'
import { planSearch, type SearchPlan } from './plan.ts'
import type { SearchQuery } from './query.ts'
import { EXACTLY_RANKED, type RankTerm, rankOf } from './ranking.ts'
import { MOST_RANKED, type Source } from './sources.ts'

/** A found question, as little as its link needs. */
export interface SearchHit {
  readonly id: number
  readonly title: string
  readonly status: 'resolved' | 'unresolved'
}

export interface SearchResult {
  /** The best first, at most as many as were asked for. */
  readonly hits: readonly SearchHit[]
  /** How many were found; `isMore`: at least so many. */
  readonly count: number
  readonly isMore: boolean
  /** Found with any of the words, since too few have all of them. */
  readonly isLoose: boolean
  /** What was found, also beyond the hits: for facets. */
  readonly found: Candidates
}

export const MOST_HITS = 100

const NOBODY: Candidates = { ids: [], courseIds: [], states: [] }
const NOTHING: SearchResult = { hits: [], count: 0, isMore: false, isLoose: false, found: NOBODY }

/**
 * Finds questions somebody may read. Work is bounded whatever is asked: see sources.ts.
 * @param size how many hits are wanted
 */
export async function search(
  db: Database,
  viewer: Actor | null,
  query: SearchQuery,
  size = MOST_HITS,
): Promise<SearchResult> {
  if (isEmpty(query)) return NOTHING
  const { course } = query.filters
  const narrowed = course === null ? undefined : sql<boolean>`course.slug = ${course}`
  const courses = await readableCourses(db, viewer, narrowed)
  if (courses.ids.length === 0) return NOTHING
  const narrowing = { filters: query.filters, courses }
  const plan = await planSearch(db, query, courses)
  const { found, sources, isLoose } = await lookInTurn(db, narrowing, plan)
  const isWhole = sources.some((source) => source.isWhole)
  const count =
    isWhole || plan.whole === null ? found.ids.length : await countCandidates(db, narrowing, plan.whole)
  return {
    hits: await rankHits(db, found.ids.slice(0, EXACTLY_RANKED), plan.rankTerms, size),
    count,
    isMore: count >= MOST_RANKED || (!isWhole && plan.whole === null),
    isLoose,
    found,
  }
}

interface Look {
  readonly found: Candidates
  readonly sources: readonly Source[]
  readonly isLoose: boolean
}

/** Makes one attempt after another until one finds enough; then, if none did, looks for any of the words. */
async function lookInTurn(db: Database, narrowing: Narrowing, plan: SearchPlan): Promise<Look> {
  let look: Look = { found: NOBODY, sources: [], isLoose: false }
  for (const { sources, enough } of plan.attempts) {
    const found = await findCandidates(db, narrowing, sources, plan.rankTerms)
    look = { found, sources, isLoose: false }
    if (found.ids.length >= enough) return look
  }
  if (plan.loose === null) return look
  const found = await findCandidates(db, narrowing, [plan.loose], plan.rankTerms)
  if (found.ids.length <= look.found.ids.length) return look
  return { found, sources: [plan.loose], isLoose: true }
}

/** Neither words nor filters. */
function isEmpty({ groups, phrases, excluded, filters }: SearchQuery): boolean {
  const { tags, course, lecture, by, is, answers, written } = filters
  const asked = [course, lecture, by, answers.from, answers.to, written.from, written.to]
  const words = groups.length + phrases.length + excluded.length
  return words + tags.length + is.length === 0 && asked.every((value) => value === null)
}

/** The best of these questions by their exact rank. */
async function rankHits(
  db: Database,
  ids: readonly number[],
  terms: readonly RankTerm[],
  size: number,
): Promise<SearchHit[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<SearchHit>`
    select q.id, q.title, q.status from unnest(${ids}::bigint[]) as chosen (id)
    join questions as q on q.id = chosen.id and q.is_listed
    join search_documents as d on d.question_id = q.id
    order by ${rankOf(terms)} desc, q.id desc limit ${size}`.execute(db)
  return rows
}

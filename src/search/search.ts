import { sql } from 'kysely'
import { readableCourses } from '../courses/readable.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import { candidatesFrom, type Narrowing } from './candidates.ts'
import { type Facets, facetColumns, NO_FACETS } from './facets.ts'
import { planSearch } from './plan.ts'
import type { SearchQuery } from './query.ts'
import { EXACTLY_RANKED, type RankTerm, rankOf } from './ranking.ts'
import { MOST_RANKED, type Source } from './sources.ts'

export interface SearchHit {
  readonly id: number
  readonly rank: number
}

export interface SearchResult {
  /** The best first, at most MOST_HITS. */
  readonly hits: readonly SearchHit[]
  /** How many were ranked; `isMore`: there may be more that were not. */
  readonly count: number
  readonly isMore: boolean
  /** Found with any of the words, since too few have all of them. */
  readonly isLoose: boolean
  readonly facets: Facets
}

export const MOST_HITS = 100

const NOTHING: SearchResult = { hits: [], count: 0, isMore: false, isLoose: false, facets: NO_FACETS }

/** Finds questions somebody may read. Work is bounded whatever is asked: see sources.ts. */
export async function search(db: Database, viewer: Actor | null, query: SearchQuery): Promise<SearchResult> {
  if (isEmpty(query)) return NOTHING
  const { course } = query.filters
  const courses = await readableCourses(
    db,
    viewer,
    course === null ? undefined : sql`course.slug = ${course}`,
  )
  if (courses.ids.length === 0) return NOTHING
  const narrowing = { filters: query.filters, courses }
  const plan = await planSearch(db, query, courses)
  let result = NOTHING
  for (const { sources, enough } of plan.attempts) {
    result = await runSearch(db, narrowing, sources, plan.rankTerms)
    if (result.count >= enough) return result
  }
  if (plan.loose === null) return result
  const loose = await runSearch(db, narrowing, [plan.loose], plan.rankTerms)
  return loose.count > result.count ? { ...loose, isLoose: true } : result
}

/** Neither words nor filters. */
function isEmpty({ groups, phrases, excluded, filters }: SearchQuery): boolean {
  const { tags, course, lecture, by, is, answers, written } = filters
  const asked = [course, lecture, by, answers.from, answers.to, written.from, written.to]
  const words = groups.length + phrases.length + excluded.length
  return words + tags.length + is.length === 0 && asked.every((value) => value === null)
}

interface Row {
  hits: SearchHit[]
  count: number
  facets: Facets
}

/** Looks in all sources, ranks what they have roughly, and the best of it exactly. */
async function runSearch(
  db: Database,
  narrowing: Narrowing,
  sources: readonly Source[],
  terms: readonly RankTerm[],
): Promise<SearchResult> {
  const candidates = sources.map(
    (source) => sql`(${candidatesFrom(source, narrowing, terms)} limit ${MOST_RANKED})`,
  )
  const { rows } = await sql<Row>`
    with found as materialized (${sql.join(candidates, sql` union `)}),
    chosen as materialized (select question_id from found order by rough desc, score desc limit ${EXACTLY_RANKED})
    select
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'rank', rank) order by rank desc, id desc), '[]') from (
        select q.id, ${rankOf(terms)} as rank
        from chosen join questions as q on q.id = chosen.question_id
        join search_documents as d on d.question_id = q.id
        order by rank desc, q.id desc limit ${MOST_HITS}) as best) as hits,
      (select count(*) from found) as count,
      ${facetColumns} as facets`.execute(db)
  const { hits, count, facets } = rows[0] ?? NOTHING
  const isMore = count >= MOST_RANKED || sources.some((source) => source.places !== null)
  return { hits, count, isMore, isLoose: false, facets }
}

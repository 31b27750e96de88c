import { type RawBuilder, sql } from 'kysely'
import { visibleTo } from '../courses/visibility.ts'
import type { Database } from '../database/schema.ts'
import type { Actor } from '../rights.ts'
import type { SearchFilters } from './filters.ts'
import { MOST_RANKED, planSearch, type SearchPlan } from './plan.ts'
import type { SearchQuery } from './query.ts'
import { EXACTLY_RANKED, rankOf, roughRankOf } from './ranking.ts'

export interface SearchHit {
  readonly id: number
  readonly rank: number
}

/** What the hits are about, counted among those ranked: at most MOST_RANKED, or the best 500 of more. */
export interface Facets {
  readonly states: Readonly<Record<'resolved' | 'unresolved' | 'unanswered', number>>
  readonly tags: readonly { readonly name: string; readonly count: number }[]
  readonly courses: readonly { readonly slug: string; readonly title: string; readonly count: number }[]
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
/** How many of the best questions are looked through for common words, and how many of them are ranked. */
const LOOKED_THROUGH = 50_000
const BEST = 500
/** With fewer hits than this any of the words will do. */
const FEW = 3

/** Finds questions somebody may read. Work is bounded whatever is asked: see SearchPlan. */
export async function search(db: Database, viewer: Actor | null, query: SearchQuery): Promise<SearchResult> {
  const plan = await planSearch(db, query)
  if (plan.match === null && isUnfiltered(query.filters)) return NOTHING
  const strict = await runSearch(db, viewer, query.filters, plan, plan.match, plan.way)
  if (plan.way === 'best' && strict.count < FEW)
    return runSearch(db, viewer, query.filters, plan, plan.match, 'index')
  if (strict.count >= FEW || plan.loose === null || plan.loose === plan.match) return strict
  const loose = await runSearch(db, viewer, query.filters, plan, plan.loose, 'index')
  return loose.count > strict.count ? { ...loose, isLoose: true } : strict
}

const NOTHING: SearchResult = {
  hits: [],
  count: 0,
  isMore: false,
  isLoose: false,
  facets: { states: { resolved: 0, unresolved: 0, unanswered: 0 }, tags: [], courses: [] },
}

interface Row {
  hits: SearchHit[]
  count: number
  is_more: boolean
  states: Facets['states']
  tags: Facets['tags']
  courses: Facets['courses']
}

async function runSearch(
  db: Database,
  viewer: Actor | null,
  filters: SearchFilters,
  plan: SearchPlan,
  match: string | null,
  way: SearchPlan['way'],
): Promise<SearchResult> {
  const { rows } = await sql<Row>`
    with candidates as materialized (${candidates(viewer, filters, match, way)}),
    ranked as materialized (
      select q.id, q.status, q.answers_count, q.course_id
      from candidates join questions as q on q.id = candidates.question_id
    ),
    chosen as materialized (
      select d.question_id from candidates join search_documents as d on d.question_id = candidates.question_id
      order by ${roughRankOf(plan.rankTerms)} desc, d.score desc limit ${EXACTLY_RANKED}
    )
    select
      (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'rank', rank) order by rank desc, id desc), '[]') from (
        select q.id, ${rankOf(plan.rankTerms)} as rank
        from chosen join questions as q on q.id = chosen.question_id
        join search_documents as d on d.question_id = q.id
        order by rank desc, q.id desc limit ${MOST_HITS}) as best) as hits,
      (select count(*) from ranked) as count,
      (select count(*) from candidates) >= ${way === 'best' ? BEST : MOST_RANKED} as is_more,
      (select jsonb_build_object('resolved', count(*) filter (where status = 'resolved'),
        'unresolved', count(*) filter (where status = 'unresolved'),
        'unanswered', count(*) filter (where answers_count = 0)) from ranked) as states,
      (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'count', count) order by count desc, name), '[]') from (
        select tags.name, count(*) from ranked join question_tags on question_tags.question_id = ranked.id
        join tags on tags.id = question_tags.tag_id group by tags.name order by count desc, name limit 12) as tag) as tags,
      (select coalesce(jsonb_agg(jsonb_build_object('slug', slug, 'title', title, 'count', count) order by count desc, slug), '[]') from (
        select courses.slug, courses.title, count(*) from ranked join courses on courses.id = ranked.course_id
        group by courses.id order by count desc, courses.slug limit 12) as course) as courses`.execute(db)
  const row = rows[0]
  if (row === undefined) return NOTHING
  const { hits, count, is_more: isMore, states, tags, courses } = row
  return { hits, count, isMore, isLoose: false, facets: { states, tags, courses } }
}

/** The questions to rank: through the index of terms, or the best ones by score; never more than their bound. */
function candidates(
  viewer: Actor | null,
  filters: SearchFilters,
  match: string | null,
  way: SearchPlan['way'],
): RawBuilder<unknown> {
  const matches = match === null ? sql`true` : sql`d.terms @@ ${match}::tsquery`
  const conditions = sql`q.deleted_at is null and ${visibleTo(viewer)} and ${filterConditions(filters)}`
  if (way === 'index' && match !== null) {
    // The filter on terms stands alone inside, so that only the index of terms can serve it.
    return sql`
      select d.question_id from (select question_id, course_id from search_documents as d where ${matches}) as d
      join questions as q on q.id = d.question_id join courses as course on course.id = d.course_id
      where ${conditions} limit ${MOST_RANKED}`
  }
  return sql`
    select d.question_id from (select question_id, course_id, terms from search_documents
      ${inCourse(filters)} order by score desc, question_id desc limit ${LOOKED_THROUGH}) as d
    join questions as q on q.id = d.question_id join courses as course on course.id = d.course_id
    where ${matches} and ${conditions} limit ${BEST}`
}

function inCourse(filters: SearchFilters): RawBuilder<unknown> {
  if (filters.course === null) return sql``
  return sql`where course_id = (select id from courses where slug = ${filters.course})`
}

function filterConditions(filters: SearchFilters): RawBuilder<boolean> {
  const conditions = [sql`true`]
  if (filters.course !== null) conditions.push(sql`course.slug = ${filters.course}`)
  if (filters.lecture !== null) {
    conditions.push(
      sql`q.lecture_id in (select id from lectures where position = ${filters.lecture} and course_id = q.course_id)`,
    )
  }
  if (filters.by !== null) {
    conditions.push(
      sql`q.author_id in (select id from people where strpos(lower(display_name), lower(${filters.by})) > 0)`,
    )
  }
  for (const state of filters.is) {
    if (state === 'answered') conditions.push(sql`q.answers_count > 0`)
    else if (state === 'unanswered') conditions.push(sql`q.answers_count = 0`)
    else conditions.push(sql`q.status = ${state}`)
  }
  if (filters.answers.from !== null) conditions.push(sql`q.answers_count >= ${filters.answers.from}`)
  if (filters.answers.to !== null) conditions.push(sql`q.answers_count < ${filters.answers.to}`)
  if (filters.written.from !== null) conditions.push(sql`q.written_at >= ${filters.written.from}`)
  if (filters.written.to !== null) conditions.push(sql`q.written_at < ${filters.written.to}`)
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

function isUnfiltered(filters: SearchFilters): boolean {
  const { tags, course, lecture, by, is, answers, written } = filters
  const isOpen = [course, lecture, by, answers.from, answers.to, written.from, written.to].every(
    (value) => value === null,
  )
  return isOpen && tags.length === 0 && is.length === 0
}

import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../kernel/rights/visibility.ts'
import { hasGivenName } from '../mentions/queries.ts'
import { tsquery } from './document.ts'
import type { LearnedQuestion } from './learning/learned.ts'
import type { NoticeRow } from './notices.ts'
import { MAX_RANKED, type Source } from './plan.ts'
import { narrowsQuestions, type SearchFilters, statesOf } from './query.ts'
import { type RankTerm, roughRankOf } from './rank.ts'

const LOOKED_THROUGH = 1000

export interface Narrowing {
  readonly filters: SearchFilters
  readonly courses: ReadableCourses
}

export interface Candidates {
  readonly count: number
  /** Of all of them; null: there are none, or nobody asked. */
  readonly facets: CountedFacets | null
  /** What was found beside documents; null: nobody asked. */
  readonly notices: readonly NoticeRow[] | null
  /** What others found by the words; null: nobody asked. */
  readonly learned: readonly LearnedQuestion[] | null
}

/** What is read with the candidates, in the same statement: each is one more round trip otherwise. `sql\`null\``: it is not. */
export interface Beside {
  readonly facets: RawBuilder<CountedFacets | null>
  readonly notices: RawBuilder<readonly NoticeRow[] | null>
  readonly learned: RawBuilder<readonly LearnedQuestion[] | null>
}

const UNASKED = sql<null>`null`
export const NOTHING_BESIDE: Beside = { facets: UNASKED, notices: UNASKED, learned: UNASKED }

/** What is read of the best candidates: `found.rough`, `q` is the question, `d` its document. */
interface Best {
  readonly columns: RawBuilder<unknown>
  readonly rank: RawBuilder<number>
  readonly size: number
  /** How many candidates get it, those with the best rough one. */
  readonly ranked: number
  readonly exceptId: number | null
}

export const NOBODY: Candidates = { count: 0, facets: null, notices: null, learned: null }

/** Looks in all sources, at most MAX_RANKED documents in each. */
export async function lookIn<Hit>(
  db: Database,
  narrowing: Narrowing,
  sources: readonly Source[],
  terms: readonly RankTerm[],
  { columns, rank, size, ranked, exceptId }: Best,
  { facets, notices, learned }: Beside = NOTHING_BESIDE,
) {
  const looked = sources.map((source) => candidatesFrom(source, narrowing, terms))
  const others = exceptId === null ? sql`` : sql`where question_id <> ${exceptId}`
  const { rows } = await sql<Candidates & { hits: readonly Hit[] }>`
    with found as materialized (${sql.join(looked, sql` union `)})
    select ${facets} as facets, ${notices} as notices, ${learned} as learned, (select count(*) from found) as count,
      (select coalesce(json_agg(hit), '[]') from (
        select ${columns} from (
          select question_id, rough from found ${others}
          order by rough desc, score desc, question_id desc limit (select ${ranked}::integer)) as found
        join questions as q on q.id = found.question_id and q.is_listed
        left join search_documents as d on d.question_id = q.id
        order by ${rank} desc, q.id desc limit (select ${size}::integer)) as hit) as hits`.execute(db)
  const none: readonly Hit[] = []
  const { hits, ...found } = rows[0] ?? { ...NOBODY, hits: none }
  return { found, hits }
}

/** How many documents a source holds, counted up to MAX_RANKED. */
export async function countCandidates(db: Database, narrowing: Narrowing, source: Source): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${candidatesFrom(source, narrowing, [])}) as found`.execute(db)
  return rows[0]?.count ?? 0
}

/** Rows of documents from one source: question_id, course_id, state, score and `rough`, a cheap rank. */
function candidatesFrom(source: Source, narrowing: Narrowing, terms: readonly RankTerm[]) {
  const { filters, courses } = narrowing
  const matches = source.match === null ? sql`true` : sql`d.terms @@ ${tsquery(source.match)}`
  const inPlaces = source.places === null ? sql`true` : sql`d.places && ${source.places}::bigint[]`
  const columns = sql`d.question_id, d.course_id, d.state, d.score, ${roughRankOf(terms)} as rough`
  if (source.along === 'terms') {
    return sql`
      (select ${columns} from search_documents as d
      where ${matches} and ${inPlaces} and ${documentConditions(narrowing)} limit ${MAX_RANKED})`
  }
  // A subquery with a limit: the newest questions are chosen first, then looked at.
  return sql`
    (select ${columns} from (
      select id from questions as q where is_listed and q.course_id = any(${courses.ids}::bigint[])
        and q.state = any(${statesOf(filters)}::smallint[]) and ${filterConditions(filters)}
      order by written_at desc, id desc limit ${LOOKED_THROUGH} offset 0) as q
    cross join lateral (select * from search_documents where question_id = q.id offset 0) as d
    where ${matches} limit ${MAX_RANKED})`
}

function documentConditions({ filters, courses }: Narrowing): RawBuilder<unknown> {
  const states = statesOf(filters)
  const inCourses = courses.isAll ? sql`true` : sql`d.course_id = any(${courses.ids}::bigint[])`
  const inStates = states.length === 4 ? sql`true` : sql`d.state = any(${states}::smallint[])`
  // `offset 0`: asked of each document that matches, never of all questions first.
  const ofQuestion = narrowsQuestions(filters)
    ? sql`exists (select from questions as q where q.id = d.question_id and ${filterConditions(filters)} offset 0)`
    : sql`true`
  return sql`${inCourses} and ${inStates} and ${ofQuestion}`
}

/** Arrays of ids, found once, rather than joins: what is asked of each question stays small. */
function filterConditions({ lecture, by, answers, written }: SearchFilters): RawBuilder<unknown> {
  const conditions = [sql`true`]
  if (lecture !== null)
    conditions.push(sql`q.lecture_id = any(array(select id from lectures where position = ${lecture}))`)
  if (by !== null) conditions.push(sql`q.id = any(array(${questionsBy(by)}))`)
  if (answers.from !== null) conditions.push(sql`q.answers_count >= ${answers.from}`)
  if (answers.to !== null) conditions.push(sql`q.answers_count < ${answers.to}`)
  if (written.from !== null) conditions.push(sql`q.written_at >= ${written.from}`)
  if (written.to !== null) conditions.push(sql`q.written_at < ${written.to}`)
  return sql.join(conditions, sql` and `)
}

const MAX_PEOPLE = 500
/** Of each of these people as many posts, and of all together as many questions. */
const MAX_POSTS = 1000
const MAX_TAKEN_PART = 5000

/**
 * Questions that somebody asked or answered whose name, a word in it, or the given name of a Korean one begins so, whatever its case
 * and accents; nothing that was posted anonymously. Uses indexes people_name_words, people_name_letters, questions_of_author and
 * answers_of_author.
 */
function questionsBy(name: string): RawBuilder<unknown> {
  return sql`
    select post.question_id from (
      select id from people as person
      where name_words(display_name) like '%' || name_words(${name}) || '%' or ${hasGivenName(name)} limit ${MAX_PEOPLE}
    ) as person
    cross join lateral (
      (select id as question_id from questions where author_id = person.id
        and is_listed and not is_anonymous order by written_at desc limit ${MAX_POSTS})
      union
      (select question_id from answers where author_id = person.id and is_shown
        and not is_anonymous order by written_at desc limit ${MAX_POSTS})
    ) as post limit ${MAX_TAKEN_PART}`
}

/** What found questions are about, counted among all that were looked at; `states` by questions.state. */
interface CountedFacets {
  readonly states: Readonly<Record<number, number>>
  readonly tags: readonly { readonly name: string; readonly count: number }[]
  readonly courses: readonly { readonly slug: string; readonly title: string; readonly count: number }[]
}

const MAX_VALUES = sql.lit(12)

/** CountedFacets of all questions of the table `found`, the commonest tags and courses first. */
export const countFacets = sql<CountedFacets>`json_build_object(
  'states', (select coalesce(json_object_agg(state, count), '{}') from (
    select state, count(*) from found group by state) as used),
  'tags', (select coalesce(json_agg(json_build_object('name', name, 'count', count) order by count desc, name), '[]') from (
    select own.tag_id, count(*) from found join question_tags as own on own.question_id = found.question_id
    group by own.tag_id order by count(*) desc, own.tag_id limit ${MAX_VALUES}) as used
    join tags on tags.id = used.tag_id),
  'courses', (select coalesce(json_agg(json_build_object('slug', slug, 'title', title, 'count', count) order by count desc, slug), '[]') from (
    select course_id, count(*) from found group by course_id order by count(*) desc, course_id limit ${MAX_VALUES}) as used
    join courses on courses.id = used.course_id))`

export function facetsOf(counted: CountedFacets | null) {
  const { states = {}, tags = [], courses = [] } = counted ?? {}
  const inState = (...wanted: readonly number[]) =>
    wanted.reduce((sum, state) => sum + (states[state] ?? 0), 0)
  const named = { resolved: inState(2, 3), unresolved: inState(0, 1), unanswered: inState(1, 3) }
  return { states: named, tags, courses }
}

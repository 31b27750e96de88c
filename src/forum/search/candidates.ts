import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { ReadableCourses } from '../../rights/readable.ts'
import { type SearchFilters, statesOf } from './filters.ts'
import { type RankTerm, roughRankOf } from './ranking.ts'
import { MOST_RANKED, narrowsQuestions, type Source } from './sources.ts'

/** So many of the newest questions are looked through where filters lead. */
const LOOKED_THROUGH = 1000

export interface Narrowing {
  readonly filters: SearchFilters
  readonly courses: ReadableCourses
}

/** Documents worth a look, the best first by a cheap rank: place by place their question, its course and its state. */
export interface Candidates {
  readonly ids: readonly number[]
  readonly courseIds: readonly number[]
  /** questions.state */
  readonly states: readonly number[]
}

/**
 * Looks in all sources, at most MOST_RANKED documents in each. A statement by itself and a short one: it is planned anew for
 * each query, as few or many documents have its words.
 */
export async function findCandidates(
  db: Database,
  narrowing: Narrowing,
  sources: readonly Source[],
  terms: readonly RankTerm[],
): Promise<Candidates> {
  const found = sources.map((source) => candidatesFrom(source, narrowing, terms))
  const { rows } = await sql<Candidates>`
    select coalesce(array_to_json(array_agg(question_id)), '[]') as ids,
      coalesce(array_to_json(array_agg(course_id)), '[]') as "courseIds",
      coalesce(array_to_json(array_agg(state)), '[]') as states
    from (
      select * from (${sql.join(found, sql` union `)}) as found order by rough desc, score desc, question_id desc
    ) as ranked`.execute(db)
  return rows[0] ?? { ids: [], courseIds: [], states: [] }
}

/** How many documents a source holds, counted up to MOST_RANKED. */
export async function countCandidates(db: Database, narrowing: Narrowing, source: Source): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (${candidatesFrom(source, narrowing, [])}) as found`.execute(db)
  return rows[0]?.count ?? 0
}

/** Rows of documents from one source: question_id, course_id, state, score and `rough`, a cheap rank. */
function candidatesFrom(
  source: Source,
  narrowing: Narrowing,
  terms: readonly RankTerm[],
): RawBuilder<unknown> {
  const matches = source.match === null ? sql`true` : sql`d.terms @@ ${source.match}::tsquery`
  const inPlaces = source.places === null ? sql`true` : sql`d.places && ${source.places}::bigint[]`
  const columns = sql`d.question_id, d.course_id, d.state, d.score, ${roughRankOf(terms)} as rough`
  if (source.along === 'terms') {
    return sql`
      (select ${columns} from search_documents as d
      where ${matches} and ${inPlaces} and ${documentConditions(narrowing)} limit ${MOST_RANKED})`
  }
  // A subquery with a limit: the newest questions are chosen first, then looked at.
  return sql`
    (select ${columns} from (
      select id from questions as q where is_listed and ${questionConditions(narrowing)}
      order by written_at desc, id desc limit ${LOOKED_THROUGH} offset 0) as q
    join search_documents as d on d.question_id = q.id where ${matches} limit ${MOST_RANKED})`
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

function questionConditions({ filters, courses }: Narrowing): RawBuilder<unknown> {
  return sql`
    q.course_id = any(${courses.ids}::bigint[]) and q.state = any(${statesOf(filters)}::smallint[])
    and ${filterConditions(filters)}`
}

/** Arrays of ids, found once, rather than joins: what is asked of each question stays small. */
function filterConditions({ lecture, by, answers, written }: SearchFilters): RawBuilder<unknown> {
  const conditions = [sql`true`]
  if (lecture !== null) {
    conditions.push(sql`q.lecture_id = any(array(select id from lectures where position = ${lecture}))`)
  }
  if (by !== null) conditions.push(sql`q.id = any(array(${questionsBy(by)}))`)
  if (answers.from !== null) conditions.push(sql`q.answers_count >= ${answers.from}`)
  if (answers.to !== null) conditions.push(sql`q.answers_count < ${answers.to}`)
  if (written.from !== null) conditions.push(sql`q.written_at >= ${written.from}`)
  if (written.to !== null) conditions.push(sql`q.written_at < ${written.to}`)
  return sql.join(conditions, sql` and `)
}

const MOST_PEOPLE = 500
/** Of each of these people as many posts, and of all together as many questions. */
const MOST_POSTS = 1000
const MOST_TAKEN_PART = 5000

/**
 * Questions that somebody asked or answered whose name, or a word in it, begins so, whatever its case and accents; nothing
 * that was posted anonymously. Uses indexes people_name_words, questions_author_written and answers_author_written.
 */
function questionsBy(name: string): RawBuilder<unknown> {
  return sql`
    select post.question_id from (
      select id from people where name_words(display_name) like '%' || name_words(${name}) || '%' limit ${MOST_PEOPLE}
    ) as person
    cross join lateral (
      (select id as question_id from questions where author_id = person.id and deleted_at is null
        and is_listed and not is_anonymous order by written_at desc limit ${MOST_POSTS})
      union
      (select question_id from answers where author_id = person.id and deleted_at is null
        and not is_anonymous order by written_at desc limit ${MOST_POSTS})
    ) as post limit ${MOST_TAKEN_PART}`
}

import { type RawBuilder, sql } from 'kysely'
import type { ReadableCourses } from '../courses/readable.ts'
import { type SearchFilters, statesOf } from './filters.ts'
import { type RankTerm, roughRankOf } from './ranking.ts'
import { narrowsQuestions, type Source } from './sources.ts'

/** So many of the newest questions are looked through where filters lead. */
const LOOKED_THROUGH = 1000

export interface Narrowing {
  readonly filters: SearchFilters
  readonly courses: ReadableCourses
}

/** Rows of documents from one source: question_id, course_id, state, score and `rough`, a cheap rank. */
export function candidatesFrom(
  source: Source,
  narrowing: Narrowing,
  terms: readonly RankTerm[],
): RawBuilder<unknown> {
  const matches = source.match === null ? sql`true` : sql`d.terms @@ ${source.match}::tsquery`
  const inPlaces = source.places === null ? sql`true` : sql`d.places && ${source.places}::bigint[]`
  const columns = sql`d.question_id, d.course_id, d.state, d.score, ${roughRankOf(terms)} as rough`
  if (source.along === 'terms') {
    return sql`
      select ${columns} from search_documents as d
      where ${matches} and ${inPlaces} and ${documentConditions(narrowing)}`
  }
  // Materialized: the newest questions are chosen first, then looked at.
  return sql`
    select ${columns} from (
      select id from questions as q where deleted_at is null and ${questionConditions(narrowing)}
      order by written_at desc, id desc limit ${LOOKED_THROUGH} offset 0) as q
    join search_documents as d on d.question_id = q.id where ${matches}`
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
  if (by !== null) conditions.push(sql`q.author_id = any(array(${peopleCalled(by)}))`)
  if (answers.from !== null) conditions.push(sql`q.answers_count >= ${answers.from}`)
  if (answers.to !== null) conditions.push(sql`q.answers_count < ${answers.to}`)
  if (written.from !== null) conditions.push(sql`q.written_at >= ${written.from}`)
  if (written.to !== null) conditions.push(sql`q.written_at < ${written.to}`)
  return sql.join(conditions, sql` and `)
}

const MOST_PEOPLE = 500

/** Uses index people_names. */
function peopleCalled(name: string): RawBuilder<unknown> {
  const pattern = `%${name.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql`select id from people where lower(display_name) like ${pattern} limit ${MOST_PEOPLE}`
}

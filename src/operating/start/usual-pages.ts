import { sql } from 'kysely'
import { latestPeople } from '../../accounts/sessions/sessions.ts'
import type { Database, Language } from '../../database/schema.ts'
import type { CachedCourses } from '../../forum/courses/cached-courses.ts'
import { type Reader, readerLike } from '../../web/page-cache/reader.ts'

/** People by whom it is told what most readers are like. */
const ASKED = 200

/** A reader with an account and no rights, as most learners of public courses are to the page cache. */
const LEARNER: Reader = {
  ...{ id: 0, displayName: '', email: null, newUntil: null, theme: 'system' },
  ...{ isAdmin: false, roles: {}, owesSecondFactor: false, language: null, timeZone: null },
}

/** What most of the people who were here last are to the page cache: their rights, language and time zone. */
export async function usualReader(db: Database, courses: Pick<CachedCourses, 'publicity'>): Promise<Reader> {
  const isPublic = await courses.publicity()
  const readers = (await latestPeople(db, ASKED)).map((person) => readerLike(person, isPublic))
  const alike = Map.groupBy(readers, (reader) => JSON.stringify(reader))
  const [most = [LEARNER]] = [...alike.values()].sort((one, other) => other.length - one.length)
  return most[0] ?? LEARNER
}

/** A question that many read. */
export interface Popular {
  readonly id: number
  readonly title: string
  /** Its slug. */
  readonly course: string
  readonly language: Language
}

/** Questions of these courses that most people read today and yesterday, then those that most have read at all. */
export async function popularQuestions(
  db: Database,
  courseIds: readonly number[],
  count: number,
): Promise<Popular[]> {
  if (courseIds.length === 0) return []
  const isOfThese = sql`q.is_listed and q.course_id = any(${courseIds}::bigint[])`
  const { rows } = await sql<Popular>`
    with seen as materialized (
      select q.id, count(*) as visitors from question_views as view join questions as q on q.id = view.question_id
      where ${isOfThese} group by q.id order by visitors desc limit ${count}),
    viewed as materialized (
      select found.id from generate_series(0, 3) as known (state), lateral (
        select id, views_count from questions as q where ${isOfThese} and q.state = known.state
        order by views_count desc limit ${count}) as found
      order by found.views_count desc limit ${count})
    select q.id, q.title, course.slug as course, course.language
    from (select id from seen union select id from viewed) as popular
    join questions as q on q.id = popular.id join courses as course on course.id = q.course_id
    left join seen on seen.id = q.id
    order by seen.visitors desc nulls last, q.views_count desc, q.id desc limit ${count}`.execute(db)
  return rows
}

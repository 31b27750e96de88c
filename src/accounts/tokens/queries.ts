import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { type Actor, reachOf } from '../../rights/rights.ts'

/** The courses that a person's token can be for: those they belong to; of an admin all. By title. */
export function coursesForTokens(db: Database, person: Actor) {
  const { isAll } = reachOf(person, 'work-desk')
  const ids = Object.keys(person.roles).map(Number)
  return db
    .selectFrom('courses as course')
    .select(['course.id', 'course.slug', 'course.title'])
    .$if(!isAll, (query) => query.where('course.id', '=', sql<number>`any(${ids}::bigint[])`))
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .execute()
}

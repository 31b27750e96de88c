import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import type { Candidates } from './candidates.ts'

/** What found questions are about, counted among all that were looked at. */
export interface Facets {
  readonly states: Readonly<Record<'resolved' | 'unresolved' | 'unanswered', number>>
  readonly tags: readonly { readonly name: string; readonly count: number }[]
  readonly courses: readonly { readonly slug: string; readonly title: string; readonly count: number }[]
}

const MAX_VALUES = 12

/** Values of questions.state. */
const RESOLVED: readonly number[] = [2, 3]
const UNANSWERED: readonly number[] = [1, 3]

/** The facets of these questions, the commonest tags and courses first. One query. */
export async function facetsOf(db: Database, { ids, groups }: Candidates): Promise<Facets> {
  const inState = (wanted: readonly number[]) =>
    sum(groups.filter(({ state }) => wanted.includes(state)).map(({ count }) => count))
  const resolved = inState(RESOLVED)
  const all = sum(groups.map(({ count }) => count))
  const states = { resolved, unresolved: all - resolved, unanswered: inState(UNANSWERED) }
  if (ids === null) return { states, tags: [], courses: [] }
  const perCourse = [...Map.groupBy(groups, ({ course_id }) => course_id)]
    .map(([id, own]) => ({ id, count: sum(own.map(({ count }) => count)) }))
    .sort((one, other) => other.count - one.count)
    .slice(0, MAX_VALUES)
  const { rows } = await sql<Pick<Facets, 'tags' | 'courses'>>`
    select
      (select coalesce(json_agg(json_build_object('name', name, 'count', count) order by count desc, name), '[]')
      from (
        select own.tag_id, count(*) from unnest(${ids}::bigint[]) as found (id)
        join question_tags as own on own.question_id = found.id
        group by own.tag_id order by count(*) desc, own.tag_id limit ${sql.lit(MAX_VALUES)}) as used
      join tags on tags.id = used.tag_id) as tags,
      (select coalesce(json_agg(json_build_object('slug', slug, 'title', title, 'count', count) order by count desc, slug), '[]')
      from unnest(${perCourse.map(({ id }) => id)}::bigint[], ${perCourse.map(({ count }) => count)}::bigint[]) as used (id, count)
      join courses on courses.id = used.id) as courses`.execute(db)
  const { tags, courses } = rows[0] ?? { tags: [], courses: [] }
  return { states, tags, courses }
}

const sum = (counts: readonly number[]) => counts.reduce((one, other) => one + other, 0)

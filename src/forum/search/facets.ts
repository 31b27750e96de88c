import { sql } from 'kysely'

/** What found questions are about, counted among all that were looked at. */
export interface Facets {
  readonly states: Readonly<Record<'resolved' | 'unresolved' | 'unanswered', number>>
  readonly tags: readonly { readonly name: string; readonly count: number }[]
  readonly courses: readonly { readonly slug: string; readonly title: string; readonly count: number }[]
}

/** As the database counts them: how many questions have each value of questions.state. */
export interface CountedFacets extends Omit<Facets, 'states'> {
  readonly states: Readonly<Record<number, number>>
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

/** @param counted null: nothing was found */
export function facetsOf(counted: CountedFacets | null): Facets {
  const { states = {}, tags = [], courses = [] } = counted ?? {}
  const inState = (...wanted: readonly number[]) =>
    wanted.reduce((sum, state) => sum + (states[state] ?? 0), 0)
  return {
    states: { resolved: inState(2, 3), unresolved: inState(0, 1), unanswered: inState(1, 3) },
    tags,
    courses,
  }
}

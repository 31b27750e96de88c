import { sql } from 'kysely'

/** What the hits are about, counted among those that were ranked. */
export interface Facets {
  readonly states: Readonly<Record<'resolved' | 'unresolved' | 'unanswered', number>>
  readonly tags: readonly { readonly name: string; readonly count: number }[]
  readonly courses: readonly { readonly slug: string; readonly title: string; readonly count: number }[]
}

export const NO_FACETS: Facets = {
  states: { resolved: 0, unresolved: 0, unanswered: 0 },
  tags: [],
  courses: [],
}

const MOST = 12

/**
 * Facets as one JSON value, of the rows of `found`: question_id, course_id, state. `offset 0`: tags are looked up question by
 * question, whatever the planner expects of `found`.
 */
export const facetColumns = sql<Facets>`jsonb_build_object(
  'states', (select jsonb_build_object('resolved', count(*) filter (where state >= 2),
    'unresolved', count(*) filter (where state < 2), 'unanswered', count(*) filter (where state in (1, 3))) from found),
  'tags', (select coalesce(jsonb_agg(jsonb_build_object('name', name, 'count', count) order by count desc, name), '[]')
    from (
      select tags.name, used.count from (
        select own.tag_id, count(*) from found
        cross join lateral (select tag_id from question_tags where question_id = found.question_id offset 0) as own
        group by own.tag_id order by count(*) desc, own.tag_id limit ${sql.lit(MOST)}) as used
      join tags on tags.id = used.tag_id) as tag),
  'courses', (select coalesce(jsonb_agg(jsonb_build_object('slug', slug, 'title', title, 'count', count) order by count desc, slug), '[]')
    from (
      select courses.slug, courses.title, used.count from (
        select course_id, count(*) from found group by course_id) as used
      join courses on courses.id = used.course_id order by used.count desc, courses.slug limit ${sql.lit(MOST)}) as course))`

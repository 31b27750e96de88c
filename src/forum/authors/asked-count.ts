import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'

/**
 * How many questions the person of the table or alias `author` has asked under their name, as the viewer may know: without
 * those in courses that the viewer may not read. Where there are none such, it is the counter alone.
 */
export function askedCount(viewer: Actor | null): RawBuilder<number> {
  return sql<number>`(author.questions_count - (
    select count(*) from courses as course
    join questions as own on own.course_id = course.id and own.is_listed and not own.is_anonymous
    where own.author_id = author.id and not ${visibleTo(viewer)})::integer)`
}

import { type RawBuilder, sql } from 'kysely'
import { type Actor, type CourseAct, may, reachOf } from './rights.ts'
import { RIGHTS } from './table.ts'

/** What reading does not depend on. */
const ANY = { isOpen: false, isArchived: false } as const

/** Whether somebody may read a course that was found already. */
export function isVisible(
  viewer: Actor | null,
  course: { readonly id: number; readonly isPublic: boolean },
): boolean {
  return may(viewer, 'read', { ...ANY, courseId: course.id, isPublic: course.isPublic })
}

/** Whether somebody may read a question, as a condition on the tables or aliases `q` and `course`. */
export function readableTo(viewer: Actor | null): RawBuilder<boolean> {
  const { isAll, courseIds } = reachOf(viewer, 'read-private')
  if (isAll) return visibleTo(viewer)
  const own = viewer === null ? sql`false` : sql`q.author_id = ${viewer.id}`
  const staffed = courseIds.length === 0 ? sql`false` : sql`course.id = any(${courseIds})`
  return sql<boolean>`(${visibleTo(viewer)} and (q.audience = 'course' or ${own} or ${staffed}))`
}

/** Whether somebody may read a course, or ask in it, as a condition on the table or alias `course`. */
export function visibleTo(viewer: Actor | null, act: CourseAct = 'read'): RawBuilder<boolean> {
  const { isAll, isPublic, courseIds } = reachOf(viewer, act)
  const runs = RIGHTS[act].isOfArchived ? null : sql`course.archived_at is null`
  if (isAll) return sql<boolean>`${runs ?? sql`true`}`
  const own = courseIds.length === 0 ? null : sql`course.id = any(${courseIds})`
  const open =
    RIGHTS[act].who.outsider === 'open'
      ? sql`course.is_public and course.asking = 'everybody'`
      : sql`course.is_public`
  const ways = [isPublic ? open : null, own].filter((way) => way !== null)
  const reached = ways.length === 0 ? sql`false` : sql.join(ways, sql` or `)
  return runs === null ? sql<boolean>`(${reached})` : sql<boolean>`((${reached}) and ${runs})`
}

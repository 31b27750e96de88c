import { type RawBuilder, sql } from 'kysely'
import { type Actor, type CourseAct, may, reachOf } from './rights.ts'

/** Whether somebody may read a course that was found already. */
export function isVisible(
  viewer: Actor | null,
  course: { readonly id: number; readonly isPublic: boolean },
): boolean {
  return may(viewer, 'read', { courseId: course.id, isPublic: course.isPublic })
}

/** Whether somebody may read a course, or ask in it, as a condition on the table or alias `course`. */
export function visibleTo(viewer: Actor | null, act: CourseAct = 'read'): RawBuilder<boolean> {
  const { isAll, isPublic, courseIds } = reachOf(viewer, act)
  if (isAll) return sql<boolean>`true`
  const own = courseIds.length === 0 ? sql`false` : sql`course.id = any(${courseIds})`
  if (!isPublic) return sql<boolean>`(${own})`
  return courseIds.length === 0 ? sql<boolean>`course.is_public` : sql<boolean>`(course.is_public or ${own})`
}

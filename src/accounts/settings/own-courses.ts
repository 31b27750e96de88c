import { sql } from 'kysely'
import type { Database, Language, Role } from '../../database/schema.ts'
import { coursePath } from '../../web/paths.ts'

/** A course that somebody belongs to, as their settings list it. */
export interface OwnCourse {
  readonly title: string
  /** For the lang attribute. */
  readonly lang: Language
  readonly path: string
  /** Where the form to leave it goes. */
  readonly leavingPath: string
  readonly role: Role
  /** Members only: a person who leaves cannot come back by themselves. */
  readonly isPrivate: boolean
}

/** The courses a person belongs to, by title. */
export async function ownCourses(db: Database, personId: number): Promise<OwnCourse[]> {
  const rows = await db
    .selectFrom('course_members as member')
    .innerJoin('courses as course', 'course.id', 'member.course_id')
    .select(['course.slug', 'course.title', 'course.language', 'course.is_public', 'member.role'])
    .where('member.person_id', '=', personId)
    .orderBy(sql`lower(course.title)`)
    .orderBy('course.id')
    .execute()
  return rows.map(({ slug, title, language, is_public, role }) => ({
    title,
    lang: language,
    path: coursePath(slug),
    leavingPath: `${coursePath(slug)}/leaving`,
    role,
    isPrivate: !is_public,
  }))
}

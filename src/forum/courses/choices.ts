import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Database } from '../../database/schema.ts'
import type { Actor } from '../../kernel/rights/rights.ts'
import { visibleTo } from '../../kernel/rights/visibility.ts'

export type Lecture = NonNullable<Awaited<ReturnType<typeof findLecture>>>

export type AskableCourse = Awaited<ReturnType<typeof askableCourses>>[number]

/** The courses somebody may ask in, each with its categories and lectures, for the ask form. By title. */
export function askableCourses(db: Database, viewer: Actor | null) {
  return select(db, viewer).orderBy('course.title').orderBy('course.id').execute()
}

/** One of these; null: they may not ask there. */
export async function askableCourse(db: Database, viewer: Actor | null, id: number) {
  return (await select(db, viewer).where('course.id', '=', id).executeTakeFirst()) ?? null
}

function select(db: Database, viewer: Actor | null) {
  return db
    .selectFrom('courses as course')
    .select(['course.id', 'course.slug', 'course.title', 'course.language', 'course.is_public as isPublic'])
    .select('course.time_zone as timeZone')
    .select(['course.asking', 'course.accent', sql<boolean>`course.archived_at is not null`.as('isArchived')])
    .select(['course.allows_private as allowsPrivate', 'course.allows_anonymous as allowsAnonymous'])
    .select('course.question_template as questionTemplate')
    .select((select) => [
      jsonArrayFrom(
        select
          .selectFrom('categories')
          .select(['id', 'slug', 'name'])
          .whereRef('course_id', '=', 'course.id')
          .orderBy('position')
          .orderBy('id'),
      ).as('categories'),
      jsonArrayFrom(
        select
          .selectFrom('lectures')
          .select(['id', 'position', 'title'])
          .whereRef('course_id', '=', 'course.id')
          .orderBy('position'),
      ).as('lectures'),
    ])
    .where(visibleTo(viewer, 'ask'))
}

/** A lecture by its number in the course, as an address carries it; null when there is none such. */
export async function findLecture(db: Database, courseId: number, position: string) {
  if (!/^[1-9]\d{0,5}$/.test(position)) return null
  const lecture = await db
    .selectFrom('lectures')
    .select(['id', 'position', 'title'])
    .where('course_id', '=', courseId)
    .where('position', '=', Number(position))
    .executeTakeFirst()
  return lecture ?? null
}

/** The slug of the only course somebody can see, where there is just one; null otherwise. */
export async function findOnlyCourse(db: Database, viewer: Actor | null): Promise<string | null> {
  const courses = await db
    .selectFrom('courses as course')
    .select('course.slug')
    .where(visibleTo(viewer))
    .limit(2)
    .execute()
  return courses.length === 1 ? (courses[0]?.slug ?? null) : null
}

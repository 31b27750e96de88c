import type { Language, Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { type Place, placeOf } from '../../rights/rights.ts'

/** A course that operations are done to. */
export interface CourseSubject extends Place {
  readonly id: number
  readonly slug: string
  readonly title: string
  readonly language: Language
  readonly timeZone: string
}

/** Something in a course changes: the course stays while that is written. @throws Problem 'notFound' */
export async function course(write: Write, slug: string): Promise<CourseSubject> {
  return subjectOf(await select(write, slug).forKeyShare().executeTakeFirst())
}

/** The course itself changes: no other such change is made until this one ends. @throws Problem 'notFound' */
export async function lockedCourse(write: Write, slug: string): Promise<CourseSubject> {
  return subjectOf(await select(write, slug).forNoKeyUpdate().executeTakeFirst())
}

/** Something of a course, by what an address says of it: the operation looks for it, after the right was checked. */
export const partOf =
  <Part>(find: typeof course) =>
  async (write: Write, { slug, part }: { readonly slug: string; readonly part: Part }) => ({
    ...(await find(write, slug)),
    part,
  })

function select(write: Write, slug: string) {
  return write
    .selectFrom('courses')
    .select(['id', 'slug', 'title', 'is_public', 'asking', 'archived_at', 'language', 'time_zone'])
    .where('slug', '=', slug)
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirst']>>

function subjectOf(row: Row): CourseSubject {
  if (row === undefined) throw notFound()
  const { id, slug, title, asking, language } = row
  const place = placeOf({ id, isPublic: row.is_public, asking, isArchived: row.archived_at !== null })
  return { ...place, id, slug, title, language, timeZone: row.time_zone }
}

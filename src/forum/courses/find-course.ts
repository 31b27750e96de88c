import type { FastifyRequest } from 'fastify'
import type { Language, Write } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { type CourseAct, type Place, placeOf } from '../../kernel/rights/rights.ts'
import { textParam } from '../../web/params.ts'
import type { Course } from './queries.ts'

/** The course in the path of a request, for an act in it. @throws Problem 404 or 403 when the viewer cannot do that, NeedsSignIn */
export async function courseFor(request: FastifyRequest, act: CourseAct): Promise<Course> {
  // Visitors are sent to sign in before anything is looked up: the same whether it is there or not.
  if (act !== 'read') request.requirePerson()
  const course = await request.server.courses.findCourse(textParam(request, 'course'))
  if (course === null) throw notFound()
  requireRight(request.person, act, placeOf(course))
  return course
}

/** The course of something that was found. @throws Problem 404 */
export async function courseById({ server }: FastifyRequest, id: number) {
  const of = server.db.selectFrom('courses').select('slug').where('id', '=', id)
  const course = await server.courses.findCourse((await of.executeTakeFirstOrThrow()).slug)
  if (course === null) throw notFound()
  return course
}

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

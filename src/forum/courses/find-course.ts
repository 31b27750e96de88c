import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { type CourseAct, placeOf } from '../../kernel/rights/rights.ts'
import { textParam } from '../../web/params.ts'
import { hasBlocklist } from '../blocklists/blocklist.ts'
import type { Course } from './queries.ts'

/** The course in the path of a request, for an act in it. @throws Problem 404 or 403 when the viewer cannot do that, NeedsSignIn */
export async function courseFor(
  request: FastifyRequest,
  act: CourseAct,
  slug = textParam(request, 'course'),
): Promise<Course> {
  // Visitors are sent to sign in before anything is looked up: the same whether it is there or not.
  if (act !== 'read') request.requirePerson()
  const course = await request.server.courses.findCourse(slug)
  if (course === null) throw notFound()
  requireRight(request.person, act, placeOf(course))
  return course
}

/** The course of something that was found. @throws Problem 404 */
export async function courseById({ server }: Pick<FastifyRequest, 'server'>, id: number) {
  const of = server.db.selectFrom('courses').select('slug').where('id', '=', id)
  const course = await server.courses.findCourse((await of.executeTakeFirstOrThrow()).slug)
  if (course === null) throw notFound()
  return course
}

/** Something in a course changes: the course stays while that is written. @throws Problem 'notFound' */
export async function course(write: Write, slug: string) {
  return subjectOf(await select(write, slug).forKeyShare().executeTakeFirst())
}

/** The course itself changes: no other such change is made until this one ends. @throws Problem 'notFound' */
export async function lockedCourse(write: Write, slug: string) {
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
    .select(['id', 'slug', 'title', 'is_public as isPublic', 'asking', 'archived_at', 'language'])
    .select(['time_zone as timeZone', 'hold', hasBlocklist(sql`courses.id`).as('hasBlocklist')])
    .where('slug', '=', slug)
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirst']>>
export type CourseSubject = ReturnType<typeof subjectOf>

function subjectOf(row: Row) {
  if (row === undefined) throw notFound()
  const { archived_at, asking, ...course } = row
  return { ...course, ...placeOf({ ...course, asking, isArchived: archived_at !== null }) }
}

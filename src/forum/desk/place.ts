import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { notFound } from '../../kernel/problem.ts'
import { requireRight } from '../../kernel/require-right.ts'
import { placeOf, type Reach } from '../../kernel/rights/rights.ts'
import { choiceParam, queryParam, textParam } from '../../web/params.ts'
import { deskPath, pathWith } from '../../web/paths.ts'
import { findLecture, type Lecture } from '../courses/choices.ts'
import type { Course } from '../courses/queries.ts'
import { MAX_COUNTED } from './queries.ts'
import { DESK_VIEWS, type DeskViewName } from './views.ts'

export interface DeskPlace {
  readonly view: DeskViewName
  /** null: all of them. */
  readonly lecture: Lecture | null
}

/** The course of an address whose desk the viewer works at. @throws Problem 403 or 404, NeedsSignIn */
export async function deskCourse(request: FastifyRequest): Promise<Course> {
  request.requirePerson()
  const course = await request.server.courses.findCourse(textParam(request, 'course'))
  if (course === null) throw notFound()
  requireRight(request.person, 'work-desk', placeOf(course))
  return course
}

export async function courseOfQuestion(
  { server }: FastifyRequest,
  question: { readonly courseId: number },
): Promise<Course> {
  const { slug } = await server.db
    .selectFrom('courses')
    .select('slug')
    .where('id', '=', question.courseId)
    .executeTakeFirstOrThrow()
  const course = await server.courses.findCourse(slug)
  if (course === null) throw notFound()
  return course
}

/** @throws Problem 404 for a lecture that the course has not */
export async function deskPlace(request: FastifyRequest, course: Course): Promise<DeskPlace> {
  const position = queryParam(request, 'lecture')
  const lecture = position === null ? null : await findLecture(request.server.db, course.id, position)
  if (position !== null && lecture === null) throw notFound()
  return { view: choiceParam(request, 'view', DESK_VIEWS, 'waiting'), lecture }
}

export function placePath(
  slug: string,
  { view, lecture }: { readonly view: DeskViewName; readonly lecture: Pick<Lecture, 'position'> | null },
  others: Readonly<Record<string, string | number | null>> = {},
): string {
  return pathWith(deskPath(slug), {
    view: view === 'waiting' ? null : view,
    lecture: lecture?.position ?? null,
    ...others,
  })
}

/** How a draft of a question's answer names its form: it is one on the desk and on the question's page. */
export const draftPlace = (questionId: number) => `/questions/${questionId}/answers`

/** Courses shown to an admin of very many. */
const MAX_SHOWN = 200

/** The courses whose desk somebody works at, those where most waits first; archived ones wait for nobody. There are few courses. */
export async function deskCourses(db: Database, { isAll, courseIds }: Reach) {
  const { rows } = await sql<{ slug: string; title: string; isArchived: boolean; waitingCount: number }>`
    select course.slug, course.title, course.archived_at is not null as "isArchived", (select count(*) from (
      select from question_desk as desk where desk.course_id = course.id and course.archived_at is null and desk.waiting_since is not null
        and (desk.snoozed_until is null or desk.snoozed_until <= now()) limit ${sql.lit(MAX_COUNTED)}) as waiting
    )::integer as "waitingCount"
    from courses as course where ${isAll ? sql`true` : sql`course.id = any(${courseIds})`}
    order by "isArchived", "waitingCount" desc, course.title, course.id limit ${sql.lit(MAX_SHOWN)}`.execute(
    db,
  )
  return rows
}

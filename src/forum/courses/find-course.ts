import type { FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { type CourseAct, placeOf } from '../../rights/rights.ts'
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

import type { FastifyRequest } from 'fastify'
import { notFound } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { type CourseAct, placeOf } from '../../rights/rights.ts'
import { findAnnouncement } from './queries.ts'

/** An announcement and its course, for an act in it. @throws Problem 404 or 403, NeedsSignIn */
export async function findNews(request: FastifyRequest, id: number, act: CourseAct) {
  if (act !== 'read') request.requirePerson()
  const announcement = await findAnnouncement(request.server.db, id)
  if (announcement === undefined) throw notFound()
  const course = await request.server.courses.findCourse(announcement.course_slug)
  if (course === null) throw notFound()
  requireRight(request.person, act, placeOf(course))
  return { course, announcement }
}

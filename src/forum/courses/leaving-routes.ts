import type { FastifyInstance } from 'fastify'
import { showSettings } from '../../accounts/settings/settings-page.ts'
import { noteEvent } from '../../audit-log/note.ts'
import { notFound } from '../../operations/problem.ts'
import { requireRight } from '../../operations/require-right.ts'
import { placeOf } from '../../rights/rights.ts'
import { freshForm, refuse } from '../../web/form.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { LastInstructor, leaveCourse } from './roles.ts'

/** Leaving a course, by the form in one's settings. */
export function registerCourseLeaving(app: FastifyInstance): void {
  const config = { limit: 'posting', needsPerson: true, formPage: () => '/settings#courses' } as const
  app.post('/courses/:course/leaving', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const course = await app.courses.findCourse(textParam(request, 'course'))
    if (course === null) throw notFound()
    const { id: courseId, isPublic, slug, title } = course
    requireRight(person, 'leave', placeOf(course))
    try {
      const role = await leaveCourse(app.db, courseId, person.id)
      if (role !== null) noteEvent(request, 'course-left', { courseId, role })
    } catch (error) {
      if (!(error instanceof LastInstructor)) throw error
      const refused = refuse(freshForm(), 'courses', 'courses.own.lastInstructor', { course: title })
      return showSettings(request, reply, person, { leaving: refused }, 422)
    }
    return reply.flash('courses.flash.left').redirect(isPublic ? coursePath(slug) : '/courses', 303)
  })
}

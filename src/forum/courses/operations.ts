import { personOf } from '../../operations/actor.ts'
import { operation } from '../../operations/operation.ts'
import { refusal } from '../../operations/problem.ts'
import { course } from './find-course.ts'
import { LastInstructor, leaveCourse } from './roles.ts'

/** Leaves a course. Its last instructor can't. */
export const courseLeaving = operation({
  name: 'leave-course',
  right: 'leave',
  find: course,
  isForSuspended: true,
  events: ['course-left'],
  async run({ write, actor, subject: { id: courseId, isPublic, slug, title }, note }) {
    try {
      const role = await leaveCourse(write, courseId, personOf(actor).id)
      if (role !== null) note('course-left', { courseId, role })
      return { slug, isPublic }
    } catch (error) {
      if (!(error instanceof LastInstructor)) throw error
      throw refusal('courses', 'courses.own.lastInstructor', { course: title })
    }
  },
})

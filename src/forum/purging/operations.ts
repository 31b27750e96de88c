import { z } from 'zod'
import { operation } from '../../operations/operation.ts'
import { notFound } from '../../operations/problem.ts'
import { refusal } from '../../operations/refused.ts'
import { lockedCourse } from '../courses/subjects.ts'
import { hideCourse, restoreCourse } from './hide-course.ts'

/** Deletes a course: it is hidden at once, and purged later. Its title or slug is typed, so that it is no other one. */
export const removeCourse = operation({
  name: 'delete-course',
  right: 'delete-course',
  find: lockedCourse,
  input: { title: z.string() },
  events: ['course-deleted'],
  async run({ write, subject, input: { title }, note }) {
    if (![subject.title, subject.slug].includes(title.trim().normalize('NFC')))
      throw refusal('title', 'admin.course.wrongTitle', { title: subject.title })
    await hideCourse(write, subject.id)
    note('course-deleted', { courseId: subject.id })
  },
})

/** Brings back a deleted course that is not purged yet. */
export const bringCourseBack = operation({
  name: 'restore-course',
  right: 'delete-course',
  find: lockedCourse,
  events: ['course-restored'],
  async run({ write, subject, note }) {
    if (!(await restoreCourse(write, subject.id))) throw notFound()
    note('course-restored', { courseId: subject.id })
  },
})

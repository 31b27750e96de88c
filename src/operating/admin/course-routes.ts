import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { courseFor } from '../../forum/courses/find-course.ts'
import type { Course } from '../../forum/courses/queries.ts'
import {
  bringCourseBack,
  type CourseParts,
  findCourseParts,
  RESTORABLE_DAYS,
  removeCourse,
} from '../../forum/purging/course-deletion.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { adminPage } from './nav.ts'

const PATH = '/courses/:course/deletion'
const pathOf = (request: FastifyRequest) => coursePath(textParam(request, 'course'))

export function registerCourseDeletion(app: FastifyInstance): void {
  const key = (request: FastifyRequest) => textParam(request, 'course')
  app.get(PATH, showDeletion)
  openForm(app, PATH, removeCourse, {
    key,
    formPage: (request) => `${pathOf(request)}/deletion`,
    // Nothing typed: what the page asks for.
    instead: async (request, reply) =>
      typedFields(request.body).title ? null : showDeletion(request, reply),
    done: () => '/admin/courses',
    flash: () => 'admin.course.deleted',
    refused: showDeletion,
  })
  openForm(app, '/courses/:course/restoration', bringCourseBack, {
    key,
    formPage: () => '/admin/courses',
    done: () => '/admin/courses',
    flash: () => 'admin.course.restored',
  })
}

/** The page that counts what a deletion would delete. @throws Problem 403 for everyone but admins, 404 */
export async function showDeletion(request: FastifyRequest, reply: FastifyReply, form?: FormState) {
  return showParts(request, reply, await courseFor(request, 'delete-course'), form)
}

const showParts = adminPage(
  'admin/delete-course',
  '/admin/courses',
  async ({ t, db }, course: Course, form: FormState = freshForm()) => {
    const parts = await findCourseParts(db, course.id)
    return {
      title: t('admin.course.delete'),
      course: course.title,
      action: `${coursePath(course.slug)}/deletion`,
      parts: (Object.keys(parts) as (keyof CourseParts)[]).map((name) => ({ name, count: parts[name] })),
      days: RESTORABLE_DAYS,
      form,
    }
  },
)

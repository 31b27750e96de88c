import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { courseFor } from '../../forum/courses/find-course.ts'
import {
  bringCourseBack,
  type CourseParts,
  findCourseParts,
  RESTORABLE_DAYS,
  removeCourse,
} from '../../forum/purging/course-deletion.ts'
import { type FormState, freshForm, typedFields } from '../../web/form.ts'
import { openForm } from '../../web/forms/door.ts'
import { translatorFor } from '../../web/language.ts'
import { contextOf } from '../../web/page.ts'
import { textParam } from '../../web/params.ts'
import { coursePath } from '../../web/paths.ts'
import { ADMIN_HEAD, adminNav } from './nav.ts'

const PATH = '/courses/:course/deletion'
const pathOf = (request: FastifyRequest) => coursePath(textParam(request, 'course'))

export function registerCourseDeletion(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => showDeletion(request, reply, freshForm()))
  const key = (request: FastifyRequest) => textParam(request, 'course')
  openForm(app, PATH, removeCourse, {
    key,
    formPage: (request) => `${pathOf(request)}/deletion`,
    // Nothing typed: what the page asks for.
    instead: async (request, reply) =>
      typedFields(request.body).title ? null : showDeletion(request, reply, freshForm()),
    done: () => '/admin/courses',
    flash: () => 'admin.course.deleted',
    refused: (request, reply, form) => showDeletion(request, reply, form, 422),
  })
  openForm(app, '/courses/:course/restoration', bringCourseBack, {
    key,
    formPage: () => '/admin/courses',
    done: () => '/admin/courses',
    flash: () => 'admin.course.restored',
  })
}

/** The page that counts what a deletion would delete. @throws Problem 403 for everyone but admins, 404 */
export async function showDeletion(
  request: FastifyRequest,
  reply: FastifyReply,
  form: FormState,
  status = 200,
) {
  const course = await courseFor(request, 'delete-course')
  const parts = await findCourseParts(request.server.db, course.id)
  return reply.page(
    'admin/delete-course',
    {
      title: translatorFor(request)('admin.course.delete'),
      ...adminNav(contextOf(request), '/admin/courses'),
      course: course.title,
      action: `${pathOf(request)}/deletion`,
      parts: (Object.keys(parts) as (keyof CourseParts)[]).map((name) => ({ name, count: parts[name] })),
      days: RESTORABLE_DAYS,
      form,
    },
    { ...ADMIN_HEAD, status },
  )
}

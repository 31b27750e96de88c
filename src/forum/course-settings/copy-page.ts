import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FormState, freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { coursePath } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { type RunningPlace, runningNav } from './nav.ts'

/** What can be done with a whole course: views/course-settings/copy.eta. */
interface CopyPage {
  readonly nav: readonly RunningPlace[]
  readonly archive: { readonly action: string; readonly isArchived: boolean }
  readonly copy: { readonly action: string; readonly form: FormState }
}

/** @param shown what was typed for the copy */
export async function showCopy(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  { status = 200, form }: { readonly status?: number; readonly form?: FormState },
) {
  const path = coursePath(course.slug)
  return reply.page<CopyPage>(
    'course-settings/copy',
    {
      title: translatorFor(request)('courseSettings.nav.copy'),
      nav: runningNav(request, course.slug, 'copy'),
      archive: { action: `${path}/archive`, isArchived: course.isArchived },
      copy: { action: `${path}/copy`, form: form ?? freshForm({ title: course.title }) },
    },
    { status, course: course.slug, bar: await barOf(request, course, 'settings'), isForStaff: true },
  )
}

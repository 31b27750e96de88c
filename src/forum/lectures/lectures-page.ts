import type { FastifyReply, FastifyRequest } from 'fastify'
import { may, placeOf } from '../../rights/rights.ts'
import { isVisible } from '../../rights/visibility.ts'
import type { FormState } from '../../web/form.ts'
import { freshForm } from '../../web/form.ts'
import { translatorFor } from '../../web/language.ts'
import { coursePath, lecturesPath, pathWith } from '../../web/paths.ts'
import { barOf } from '../courses/course-bar.ts'
import type { Course } from '../courses/queries.ts'
import { listLectures } from './queries.ts'

/** The lectures of a course, in their order, with their questions: views/lectures/index.eta. */
interface LecturesPage {
  readonly lectures: readonly {
    readonly position: number
    readonly title: string
    readonly path: string
    readonly questionsCount: number
    readonly unresolvedCount: number
    /** Where it is renamed, merged and removed; null for those who may not. */
    readonly editPath: string | null
  }[]
  /** For adding some; null for those who may not. */
  readonly adding: { readonly action: string; readonly form: FormState } | null
}

/** @param form what was typed to add some; null: nothing */
export async function showLectures(
  request: FastifyRequest,
  reply: FastifyReply,
  course: Course,
  form: FormState | null = null,
  status = 200,
) {
  const lectures = await listLectures(request.server.db, course.id)
  request.rendering?.dependsOn(`course:${course.id}`)
  const t = translatorFor(request)
  const isManager = may(request.person, 'manage', placeOf(course))
  const path = lecturesPath(course.slug)
  return reply.page<LecturesPage>(
    'lectures/index',
    {
      title: t('courses.lectures.title'),
      lectures: lectures.map(({ position, title, ...counts }) => ({
        position,
        title,
        path: pathWith(coursePath(course.slug), { lecture: position }),
        questionsCount: counts.questions_count,
        unresolvedCount: counts.unresolved_count,
        editPath: isManager ? `${path}/${position}` : null,
      })),
      adding: isManager ? { action: path, form: form ?? freshForm() } : null,
    },
    {
      status,
      course: course.slug,
      bar: await barOf(request, course, 'lectures'),
      canonical: path,
      isForStaff: isManager,
      ...(isManager ? { script: 'running' as const } : {}),
      ...(isVisible(null, course) ? {} : { robots: 'noindex' }),
    },
  )
}

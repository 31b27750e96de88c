import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/schema.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { isVisible } from '../../rights/visibility.ts'
import { languageOfRequest } from '../../web/language.ts'
import { textParam } from '../../web/params.ts'
import { coursePath, lecturesPath, pathWith } from '../../web/paths.ts'
import { notFound } from '../../web/problem.ts'
import { courseBar } from './course-bar.ts'

declare module '../../web/views.ts' {
  interface Pages {
    'courses/lectures': LecturesPage
  }
}

/** The lectures of a course, in their order, with their questions: views/courses/lectures.eta. */
export interface LecturesPage {
  readonly lectures: readonly {
    readonly position: number
    readonly title: string
    readonly path: string
    readonly questionsCount: number
    readonly unresolvedCount: number
  }[]
}

/** `/courses/:course/lectures`: whoever may read the course may read it. */
export function registerLectures(app: FastifyInstance): void {
  const shared = { config: { shared: { parameters: [], isForMembers: true } } }
  app.get('/courses/:course/lectures', shared, async (request, reply) => {
    const course = await app.courses.findCourse(textParam(request, 'course'))
    if (course === null || !isVisible(request.person, course)) throw notFound()
    const lectures = await listLectures(app.db, course.id)
    request.rendering?.dependsOn(`course:${course.id}`)
    const t = translatorOf(languageOfRequest(request))
    return reply.page(
      'courses/lectures',
      {
        title: t('courses.lectures.title'),
        lectures: lectures.map((lecture) => ({
          position: lecture.position,
          title: lecture.title,
          path: pathWith(coursePath(course.slug), { lecture: lecture.position }),
          questionsCount: lecture.questions_count,
          unresolvedCount: lecture.unresolved_count,
        })),
      },
      {
        course: course.slug,
        bar: courseBar(t, course, request.person, 'lectures'),
        canonical: lecturesPath(course.slug),
        ...(isVisible(null, course) ? {} : { robots: 'noindex' }),
      },
    )
  })
}

/** All lectures of a course, by position. Uses index lectures_position_key. */
function listLectures(db: Database, courseId: number) {
  return db
    .selectFrom('lectures')
    .select(['position', 'title', 'questions_count', 'unresolved_count'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
}

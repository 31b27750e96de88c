import { z } from 'zod'
import { API, type Call, listOf, oneOf, reading } from '../../web/json/endpoint.ts'
import { pageIn, paging } from '../../web/json/paging.ts'
import { count, id, resource, snaked, url } from '../../web/json/resource.ts'
import { coursePath } from '../../web/paths.ts'
import { courseFor } from './find-course.ts'
import { courseCounts, type ListedCourse, listCourses } from './queries.ts'

const courseSchema = resource('Course', {
  id,
  slug: z.string(),
  title: z.string(),
  field: z.string().nullable(),
  description: z.string(),
  language: z.enum(['en', 'ko']),
  time_zone: z.string(),
  is_public: z.boolean(),
  is_archived: z.boolean(),
  questions_count: count,
  unanswered_count: count,
  url,
})

export const courseEndpoints = [
  reading(
    '/courses',
    listOf(courseSchema),
    { name: 'listCourses', tag: 'courses', query: z.object(paging) },
    async ({ request, query }) => {
      const asked = pageIn(query.cursor, 'count')
      const page = await listCourses(request.server.db, request.person, asked, query.limit)
      request.rendering?.dependsOn('site')
      return { items: page.rows.map(courseItem), next: page.older }
    },
  ),

  reading('/courses/:course', oneOf(courseSchema), { name: 'readCourse', tag: 'courses' }, async (call) => {
    const course = await readableCourse(call)
    const counts = await courseCounts(call.request.server.db, course.id)
    return courseItem({ ...course, ...counts, role: null })
  }),
]

/** The course of the address. @throws Problem 404 when it is not there for the one who asks */
export async function readableCourse({ request }: Pick<Call, 'request'>) {
  const course = await courseFor(request, 'read')
  request.rendering?.dependsOn(`course:${course.id}`)
  return course
}

/** Of a course, for programs. */
export const courseAddress = ({ slug }: { readonly slug: string }) =>
  `${API}/courses/${encodeURIComponent(slug)}`

function courseItem(course: ListedCourse) {
  const self = courseAddress(course)
  const below = ['questions', 'lectures', 'categories', 'tags', 'announcements', 'faq']
  const links = Object.fromEntries(below.map((name) => [name, `${self}/${name}`]))
  return {
    ...snaked(course),
    field: course.field || null,
    links: { self, html: coursePath(course.slug), ...links },
  }
}

import { z } from 'zod'
import { listAnnouncements } from '../../forum/announcements/announcement.ts'
import { listCategories } from '../../forum/course-settings/settings.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { courseCounts, type ListedCourse, listCourses } from '../../forum/courses/queries.ts'
import { listEntries } from '../../forum/faq/queries.ts'
import { listLectures } from '../../forum/lectures/commands.ts'
import { listTags } from '../../forum/tags/queries.ts'
import { mentionsAsNames, withTypedNames } from '../../text/mentions.ts'
import { API, type Call, listOf, oneOf, reading } from '../../web/json/endpoint.ts'
import { cursorIn, listPage, pageIn, pageOfTexts, paging } from '../../web/json/paging.ts'
import { count, id, resource, role, snaked, time, url } from '../../web/json/resource.ts'
import { announcementPath, coursePath, pathWith, tagPath } from '../../web/paths.ts'

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

const lectureSchema = resource('Lecture', {
  position: z.int(),
  title: z.string(),
  questions_count: count,
  unresolved_count: count,
  url,
})

const categorySchema = resource('Category', { slug: z.string(), name: z.string() })

const tagSchema = resource('Tag', { name: z.string(), questions_count: count, url })

const announcementSchema = resource('Announcement', {
  id,
  title: z.string(),
  body: z.string(),
  body_html: z.string(),
  author: z.object({ id, name: z.string(), role: role.nullable() }),
  corrects: id.nullable(),
  published_at: time,
  edited_at: time.nullable(),
  url,
})

const faqSchema = resource('FaqEntry', {
  id,
  title: z.string(),
  body: z.string(),
  body_html: z.string(),
  question: id.nullable(),
  position: z.int(),
  changed_at: time,
})

const pages = z.object(paging)
const tag = 'courses'

export const courseEndpoints = [
  reading(
    '/courses',
    listOf(courseSchema),
    { name: 'listCourses', tag, query: pages },
    async ({ request, query }) => {
      const asked = pageIn(query.cursor, 'count')
      const page = await listCourses(request.server.db, request.person, asked, query.limit)
      request.rendering?.dependsOn('site')
      return listPage(page, ({ questionsCount: value, id }) => ({ value, id }), courseItem)
    },
  ),

  reading('/courses/:course', oneOf(courseSchema), { name: 'readCourse', tag }, async (call) => {
    const course = await readableCourse(call)
    const counts = await courseCounts(call.request.server.db, course.id)
    return courseItem({ ...course, ...counts, role: null })
  }),

  reading('/courses/:course/lectures', listOf(lectureSchema), { name: 'listLectures', tag }, async (call) => {
    const course = await readableCourse(call)
    const lectures = await listLectures(call.request.server.db, course.id)
    const items = lectures.map((lecture) => {
      const html = pathWith(coursePath(course.slug), { lecture: lecture.position })
      const questions = pathWith(`${addressOf(course)}/questions`, { lecture: lecture.position })
      return { ...lecture, links: { html, questions } }
    })
    return { items, next: null }
  }),

  reading(
    '/courses/:course/categories',
    listOf(categorySchema),
    { name: 'listCategories', tag },
    async (call) => {
      const course = await readableCourse(call)
      const categories = await listCategories(call.request.server.db, course.id)
      return { items: categories.map((category) => ({ ...category, links: {} })), next: null }
    },
  ),

  reading(
    '/courses/:course/tags',
    listOf(tagSchema),
    { name: 'listTags', tag, query: pages },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const filter = { beginning: '', courseId: course.id }
      const asked = pageIn(query.cursor, 'count')
      const page = await listTags(request.server.db, request.person, filter, asked, query.limit)
      const questions = `${addressOf(course)}/questions`
      return listPage(
        page,
        ({ questions_count: value, id }) => ({ value, id }),
        ({ name, ...row }) => {
          const links = { html: tagPath(name), questions: pathWith(questions, { tag: name }) }
          return { ...row, name, links }
        },
      )
    },
  ),

  reading(
    '/courses/:course/announcements',
    listOf(announcementSchema),
    { name: 'listAnnouncements', tag, query: pages },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const asked = pageIn(query.cursor, 'time')
      const page = await listAnnouncements(request.server.db, course.id, asked, query.limit)
      const shown = await pageOfTexts(page.rows, page.hasOlder, {
        sourceOf: ({ body }) => body,
        cursorOf: ({ published_at, id }) => ({ value: published_at.getTime(), id }),
      })
      for (const { author_id: author } of shown.rows) request.rendering?.dependsOn(`person:${author}`)
      const items = shown.rows.map((news) => ({
        ...news,
        body: mentionsAsNames(news.body),
        body_html: withTypedNames(news.body_html),
        author: { id: news.author_id, name: news.display_name, role: news.role },
        corrects: news.corrects_id,
        links: { html: announcementPath(news), author: `${API}/people/${news.author_id}` },
      }))
      return { items, next: shown.next }
    },
  ),

  reading(
    '/courses/:course/faq',
    listOf(faqSchema),
    { name: 'listFaq', tag, query: z.object({ cursor: paging.cursor }) },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const after = cursorIn(query.cursor, 'count')
      const listed = await listEntries(request.server.db, course.id, ['shown'])
      const entries = listed.filter(
        ({ position, id }) =>
          after === null || position > after.value || (position === after.value && id > after.id),
      )
      const page = await pageOfTexts(entries, false, {
        sourceOf: ({ source }) => source,
        htmlOf: ({ answerHtml }) => answerHtml,
        cursorOf: ({ position, id }) => ({ value: position, id }),
      })
      const items = page.rows.map(({ body, body_html: html, questionId: question, changedAt, ...entry }) => ({
        ...{ ...entry, question, changed_at: changedAt },
        ...{ body: mentionsAsNames(body), body_html: withTypedNames(html) },
        links: question === null ? {} : { question: `${API}/questions/${question}` },
      }))
      return { items, next: page.next }
    },
  ),
]

/** The course of the address. @throws Problem 404 when it is not there for the one who asks */
export async function readableCourse({ request }: Pick<Call, 'request'>) {
  const course = await courseFor(request, 'read')
  request.rendering?.dependsOn(`course:${course.id}`)
  return course
}

const addressOf = ({ slug }: { readonly slug: string }) => `${API}/courses/${encodeURIComponent(slug)}`

function courseItem(course: ListedCourse) {
  const self = addressOf(course)
  const below = ['questions', 'lectures', 'categories', 'tags', 'announcements', 'faq']
  const links = Object.fromEntries(below.map((name) => [name, `${self}/${name}`]))
  return {
    ...snaked(course),
    field: course.field || null,
    links: { self, html: coursePath(course.slug), ...links },
  }
}

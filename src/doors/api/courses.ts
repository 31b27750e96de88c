import { z } from 'zod'
import { writeCursor } from '../../database/keyset.ts'
import { listAnnouncements } from '../../forum/announcements/announcement.ts'
import { listCategories } from '../../forum/course-settings/settings.ts'
import { courseFor } from '../../forum/courses/find-course.ts'
import { courseCounts, type ListedCourse, listCourses } from '../../forum/courses/queries.ts'
import { listEntries } from '../../forum/faq/queries.ts'
import { listLectures } from '../../forum/lectures/commands.ts'
import { listTags } from '../../forum/tags/queries.ts'
import { mentionsAsNames, withTypedNames } from '../../text/mentions.ts'
import { announcementPath, coursePath, pathWith, tagPath } from '../../web/paths.ts'
import { API, absolute, type Linked, list, one } from './answering.ts'
import { type Call, listOf, oneOf, reading } from './endpoint.ts'
import { cursorIn, pageOfTexts, paging } from './paging.ts'
import { count, id, named, role, time, url } from './schemas/registry.ts'

const courseSchema = named(
  'Course',
  z.object({
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
  }),
)

const lectureSchema = named(
  'Lecture',
  z.object({ position: z.int(), title: z.string(), questions_count: count, unresolved_count: count, url }),
)

const categorySchema = named('Category', z.object({ slug: z.string(), name: z.string() }))

const tagSchema = named('Tag', z.object({ name: z.string(), questions_count: count, url }))

const announcementSchema = named(
  'Announcement',
  z.object({
    id,
    title: z.string(),
    body: z.string(),
    body_html: z.string(),
    author: z.object({ id, name: z.string(), role: role.nullable() }),
    corrects: id.nullable(),
    published_at: time,
    edited_at: time.nullable(),
    url,
  }),
)

const faqSchema = named(
  'FaqEntry',
  z.object({
    id,
    title: z.string(),
    body: z.string(),
    body_html: z.string(),
    question: id.nullable(),
    position: z.int(),
    changed_at: time,
  }),
)

const pages = z.object(paging)
const tag = 'courses'

export const courseEndpoints = [
  reading(
    '/courses',
    listOf(courseSchema),
    { name: 'listCourses', tag, query: pages },
    async ({ request, query }) => {
      const after = cursorIn(query.cursor, 'count')
      const { db } = request.server
      const { rows, hasOlder } = await listCourses(db, request.person, { after, before: null }, query.limit)
      request.rendering?.dependsOn('site')
      const last = rows.at(-1)
      const next =
        hasOlder && last !== undefined ? writeCursor({ value: last.questionsCount, id: last.id }) : null
      return list(
        rows.map((course) => courseBody({ request }, course)),
        next,
      )
    },
  ),

  reading('/courses/:course', oneOf(courseSchema), { name: 'readCourse', tag }, async (call) => {
    const course = await readableCourse(call)
    const counts = await courseCounts(call.request.server.db, course.id)
    return one(courseBody(call, { ...course, ...counts, role: null }))
  }),

  reading('/courses/:course/lectures', listOf(lectureSchema), { name: 'listLectures', tag }, async (call) => {
    const course = await readableCourse(call)
    const lectures = await listLectures(call.request.server.db, course.id)
    return list(
      lectures.map(({ position, title, questions_count, unresolved_count }) => {
        const html = pathWith(coursePath(course.slug), { lecture: position })
        const questions = pathWith(`${addressOf(course)}/questions`, { lecture: position })
        const body = { position, title, questions_count, unresolved_count, url: absolute(call.request, html) }
        return { body, links: { html, questions } }
      }),
    )
  }),

  reading(
    '/courses/:course/categories',
    listOf(categorySchema),
    { name: 'listCategories', tag },
    async (call) => {
      const course = await readableCourse(call)
      const categories = await listCategories(call.request.server.db, course.id)
      return list(categories.map(({ slug, name }) => ({ body: { slug, name }, links: {} })))
    },
  ),

  reading(
    '/courses/:course/tags',
    listOf(tagSchema),
    { name: 'listTags', tag, query: pages },
    async (call) => {
      const { request, query } = call
      const course = await readableCourse(call)
      const after = cursorIn(query.cursor, 'count')
      const page = await listTags(
        request.server.db,
        request.person,
        { beginning: '', courseId: course.id },
        { after, before: null },
        query.limit,
      )
      const last = page.rows.at(-1)
      const next = page.hasOlder && last ? writeCursor({ value: last.questions_count, id: last.id }) : null
      return list(
        page.rows.map(({ name, questions_count }) => ({
          body: { name, questions_count, url: absolute(request, tagPath(name)) },
          links: {
            html: tagPath(name),
            questions: pathWith(`${addressOf(course)}/questions`, { tag: name }),
          },
        })),
        next,
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
      const after = cursorIn(query.cursor, 'time')
      const { db } = request.server
      const page = await listAnnouncements(db, course.id, { after, before: null }, query.limit)
      const shown = await pageOfTexts(page.rows, page.hasOlder, {
        sourceOf: ({ body }) => body,
        cursorOf: ({ published_at, id }) => ({ value: published_at.getTime(), id }),
      })
      for (const { author_id: author } of shown.rows) request.rendering?.dependsOn(`person:${author}`)
      return list(
        shown.rows.map((news) => ({
          body: {
            id: news.id,
            title: news.title,
            body: mentionsAsNames(news.body),
            body_html: withTypedNames(news.body_html),
            author: { id: news.author_id, name: news.display_name, role: news.role },
            corrects: news.corrects_id,
            published_at: news.published_at.toISOString(),
            edited_at: news.edited_at?.toISOString() ?? null,
            url: absolute(request, announcementPath(news)),
          },
          links: { html: announcementPath(news), author: `${API}/people/${news.author_id}` },
        })),
        shown.next,
      )
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
      return list(
        page.rows.map(({ id, title, body, questionId: question, position, changedAt, ...entry }) => ({
          body: {
            ...{ id, title, question, position },
            body: mentionsAsNames(body),
            body_html: withTypedNames(entry.body_html),
            changed_at: changedAt.toISOString(),
          },
          links: question === null ? {} : { question: `${API}/questions/${question}` },
        })),
        page.next,
      )
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

function courseBody(
  { request }: Pick<Call, 'request'>,
  course: ListedCourse,
): Linked<z.input<typeof courseSchema>> {
  const html = coursePath(course.slug)
  const self = addressOf(course)
  const below = ['questions', 'lectures', 'categories', 'tags', 'announcements', 'faq']
  return {
    body: {
      id: course.id,
      slug: course.slug,
      title: course.title,
      field: course.field || null,
      description: course.description,
      language: course.language,
      time_zone: course.timeZone,
      is_public: course.isPublic,
      is_archived: course.isArchived,
      questions_count: course.questionsCount,
      unanswered_count: course.unansweredCount,
      url: absolute(request, html),
    },
    links: { self, html, ...Object.fromEntries(below.map((name) => [name, `${self}/${name}`])) },
  }
}

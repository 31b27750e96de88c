import type { FastifyInstance } from 'fastify'
import { type Cursor, readCursor, writeCursor } from '../database/keyset.ts'
import type { Language, Role } from '../database/schema.ts'
import { translatorOf } from '../messages/catalogue.ts'
import { languageOfRequest } from '../web/language.ts'
import { queryParam } from '../web/params.ts'
import { coursePath, pathWith } from '../web/paths.ts'
import { type ListedCourse, listCourses } from './queries.ts'

declare module '../web/views.ts' {
  interface Pages {
    'courses/index': CourseIndex
  }
}

export interface CourseIndex {
  readonly courses: readonly CourseRow[]
  readonly newerPath: string | null
  readonly olderPath: string | null
}

interface CourseRow {
  readonly title: string
  readonly path: string
  readonly description: string
  readonly field: string
  /** For the lang attribute; null: as the page. */
  readonly lang: Language | null
  readonly questionsCount: number
  readonly unansweredCount: number
  readonly isPrivate: boolean
  readonly role: Role | null
}

const PATH = '/courses'

/** `/courses`; `/courses/:course` belongs to the questions, as it is a list of them. */
export function registerCourses(app: FastifyInstance): void {
  app.get(PATH, async (request, reply) => {
    const after = readCursor(queryParam(request, 'after'), 'count')
    const before = readCursor(queryParam(request, 'before'), 'count')
    const page = await listCourses(app.db, request.person, { after, before })
    const language = languageOfRequest(request)
    const [first, last] = [page.rows[0], page.rows.at(-1)]
    return reply.page('courses/index', {
      title: translatorOf(language)('courses.index.title'),
      courses: page.rows.map((course) => courseRow(course, language)),
      newerPath: page.hasNewer && first ? pathWith(PATH, { before: writeCursor(cursorOf(first)) }) : null,
      olderPath: page.hasOlder && last ? pathWith(PATH, { after: writeCursor(cursorOf(last)) }) : null,
    })
  })
}

function courseRow(course: ListedCourse, language: Language): CourseRow {
  return {
    title: course.title,
    path: coursePath(course.slug),
    description: course.description,
    field: course.field,
    lang: course.language === language ? null : course.language,
    questionsCount: course.questionsCount,
    unansweredCount: course.unansweredCount,
    isPrivate: !course.isPublic,
    role: course.role,
  }
}

function cursorOf(course: ListedCourse): Cursor {
  return { value: course.questionsCount, id: course.id }
}

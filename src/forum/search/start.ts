import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { translatorFor } from '../../web/language.ts'
import { coursePath, faqPath, pathWith } from '../../web/paths.ts'
import type { Course } from '../courses/queries.ts'
import type { SearchQuery } from './query.ts'
import { type SearchResult, search } from './search.ts'

const MAX_COUNTED = 200

/** The page before anything is typed. @param course the one that is searched; null: all */
export async function showStart(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  const t = translatorFor(request)
  const { server, person } = request
  const list = course === null ? '/questions' : coursePath(course.slug)
  const waiting = course === null ? null : (await server.asides.of(course.id)).waitingCount
  const unanswered = {
    icon: 'clock',
    text: t(course === null ? 'search.door.unanswered' : 'search.door.inCourse'),
    path: pathWith(list, { status: 'unanswered' }),
    // null: nobody counts.
    count: waiting,
  }
  // The viewer's own number: a slot of web/own-parts.ts.
  const slot = `mine.${course?.id ?? 'all'}`
  const own = { icon: 'hand', text: t('layout.ownQuestions'), path: pathWith(list, { mine: 1 }), slot }
  const doors: object[] = person === null ? [unanswered] : [unanswered, own]
  if (course !== null) {
    const count = await faqCount(server.db, course.id)
    doors.push({ icon: 'book', text: t('courses.bar.faq'), path: faqPath(course.slug), count })
  }
  const searched = course === null ? null : searchedCourse(course, null)
  const page = { title: t('search.title'), course: searched, doors }
  return reply.page<typeof page>('search/start', page, { script: 'searching' })
}

/** How many entries readers see, MAX_COUNTED at most. Index faq_entries_listed. */
async function faqCount(db: Database, courseId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select from faq_entries as entry left join questions as q on q.id = entry.question_id
      where entry.course_id = ${courseId} and entry.state = 'shown' and (entry.question_id is null or q.is_listed)
      limit ${sql.lit(MAX_COUNTED)}) as shown`.execute(db)
  return rows[0]?.count ?? 0
}

/** The course that is searched; `allPath` leads to the same in all courses. @param q what is searched for; null: nothing yet */
export function searchedCourse({ title, language }: Course, q: string | null) {
  return { title, lang: language, allPath: pathWith('/search', { q }) }
}

/** The way out of a course: what the same search finds in all courses, as it counts there; null: no more than `here`. */
export async function foundInAll({ server, person }: FastifyRequest, query: SearchQuery, here: SearchResult) {
  const readable = await server.courses.readable(person)
  if (readable.ids.length < 2) return null
  const options = { readable, size: 1, isSpelt: true }
  const { count, isMore, looseFrom } = await search(server.db, person, query, options)
  const hasAllWords = here.looseFrom === 0 && count > 0 && looseFrom === null
  if (count <= here.count && !hasAllWords) return null
  return { count, isMore, path: pathWith('/search', { q: query.text }) }
}

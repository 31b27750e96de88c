import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Language } from '../../database/schema.ts'
import { translatorFor } from '../../web/language.ts'
import { coursePath, faqPath, pathWith } from '../../web/paths.ts'
import type { Course } from '../courses/queries.ts'
import type { SearchQuery } from './query.ts'
import { type SearchResult, search } from './search.ts'

interface SearchStart {
  readonly course: SearchedCourse | null
  readonly doors: readonly Door[]
}

/** Where people go who have nothing to search for. */
interface Door {
  readonly icon: 'clock' | 'hand' | 'book'
  readonly text: string
  readonly path: string
  /** How much is there; null: nobody counts. */
  readonly count: number | null
  /** The viewer's own number: a slot of web/own-parts.ts; null: none. */
  readonly slot: string | null
}

const MAX_COUNTED = 200

/** The page before anything is typed. @param course the one that is searched; null: all */
export async function showStart(request: FastifyRequest, reply: FastifyReply, course: Course | null) {
  const t = translatorFor(request)
  const { server, person } = request
  const list = course === null ? '/questions' : coursePath(course.slug)
  const waiting = course === null ? null : (await server.asides.of(course.id)).waitingCount
  const unanswered: Door = {
    icon: 'clock',
    text: t(course === null ? 'search.door.unanswered' : 'search.door.inCourse'),
    path: pathWith(list, { status: 'unanswered' }),
    count: waiting,
    slot: null,
  }
  const own: Door = {
    icon: 'hand',
    text: t('layout.ownQuestions'),
    path: pathWith(list, { mine: 1 }),
    count: null,
    slot: `mine.${course?.id ?? 'all'}`,
  }
  const faq: Door[] =
    course === null
      ? []
      : [
          {
            icon: 'book',
            text: t('courses.bar.faq'),
            path: faqPath(course.slug),
            count: await faqCount(server.db, course.id),
            slot: null,
          },
        ]
  return reply.page<SearchStart>(
    'search/start',
    {
      title: t('search.title'),
      course: course === null ? null : searchedCourse(course, null),
      doors: [unanswered, ...(person === null ? [] : [own]), ...faq],
    },
    { script: 'searching' },
  )
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

/** The course that is searched: views/search/_scope.eta. `allPath` leads to the same search in all of them. */
export interface SearchedCourse {
  readonly title: string
  readonly lang: Language
  readonly allPath: string
}

/** @param q what is searched for; null: nothing yet */
export function searchedCourse({ title, language }: Course, q: string | null): SearchedCourse {
  return { title, lang: language, allPath: pathWith('/search', { q }) }
}

/** How many questions the same search finds in all courses that somebody may read. */
export interface FoundInAll {
  readonly count: number
  readonly isMore: boolean
  readonly path: string
}

/** The way out of a course, counted as that search counts; null: it finds no more than `here`. */
export async function foundInAll(
  { server, person }: FastifyRequest,
  query: SearchQuery,
  here: SearchResult,
): Promise<FoundInAll | null> {
  const readable = await server.courses.readable(person)
  if (readable.ids.length < 2) return null
  const { count, isMore, looseFrom } = await search(server.db, person, query, {
    readable,
    size: 1,
    isSpelt: true,
  })
  const hasAllWords = here.looseFrom === 0 && count > 0 && looseFrom === null
  if (count <= here.count && !hasAllWords) return null
  return { count, isMore, path: pathWith('/search', { q: query.text }) }
}

import type { FastifyRequest } from 'fastify'
import type { Language } from '../../database/schema.ts'
import { pathWith } from '../../web/paths.ts'
import type { Course } from '../courses/queries.ts'
import type { SearchQuery } from './query.ts'
import { type SearchResult, search } from './search.ts'

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

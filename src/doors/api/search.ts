import { z } from 'zod'
import { questionRecordsOf } from '../../forum/reading/records.ts'
import { questionResource, questionSchema } from '../../forum/reading/resource.ts'
import { SEARCH } from '../../forum/search/index-question.ts'
import { parseQuery } from '../../forum/search/query.ts'
import { MAX_HITS, search } from '../../forum/search/search.ts'
import { findSimilar } from '../../forum/search/similar/similar.ts'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { type Call, InvalidParameter, listOf, reading } from '../../web/json/endpoint.ts'
import { MAX_LIMIT, textsOfPost, withinBytes } from '../../web/json/paging.ts'

const MAX_QUERY_LENGTH = 500
const MAX_TITLE_LENGTH = 300

const searchQuery = z.object({
  q: z.string().min(1).max(MAX_QUERY_LENGTH),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(20),
  cursor: z.string().max(50).optional(),
})
const similarQuery = z.object({
  title: z.string().min(3).max(MAX_TITLE_LENGTH),
  course: z.string().max(100).optional(),
})

const tag = 'search'

export const searchEndpoints = [
  reading(
    '/search',
    listOf(questionSchema),
    { name: 'search', tag, query: searchQuery, isShared: false, limit: 'search' },
    async ({ request, query: { q, limit, cursor } }) => {
      const { db, jobs, courses } = request.server
      await jobs.caughtUp(SEARCH)
      const first = firstHit(cursor)
      const query = parseQuery(q)
      const readable = await courses.readable(request.person, query.filters.course)
      const size = Math.min(MAX_HITS, first + limit + 1)
      const { hits } = await search(db, request.person, query, { readable, size })
      const { items, count } = await itemsOf(request, hits.slice(first, first + limit))
      const end = first + count
      return { items, next: hits.length > end ? end.toString(36) : null }
    },
  ),

  reading(
    '/questions/similar',
    listOf(questionSchema),
    { name: 'similarQuestions', tag, query: similarQuery, isShared: false, limit: 'suggestions' },
    async ({ request, query: { title, course: slug } }) => {
      const { db, courses, foundQuestions } = request.server
      const course = slug === undefined ? null : await courses.findCourse(slug)
      const asked = course !== null && isVisible(request.person, course) ? course : null
      if (slug !== undefined && asked === null) throw new InvalidParameter('course')
      const to = { title, body: '', tags: [], courseId: asked?.id ?? null, exceptId: null }
      const readable = await courses.readable(request.person, asked?.slug ?? null)
      const similar = await findSimilar(db, request.person, to, readable, foundQuestions)
      const { items } = await itemsOf(request, similar)
      return { items, next: null }
    },
  ),
]

/**
 * Those of the first hits, as many as one page holds, and how many hits they are of: one may be gone by now.
 */
async function itemsOf(request: Call['request'], hits: readonly { readonly id: number }[]) {
  const ids = hits.map(({ id }) => id)
  const records = await questionRecordsOf(request.server.db, request.person, ids)
  const shown = withinBytes(records, textsOfPost)
  const items = await questionResource.items(request, shown)
  const count = shown.length < records.length ? ids.indexOf(shown.at(-1)?.id ?? 0) + 1 : ids.length
  return { items, count }
}

/** Results are ranked as a whole and cut into pages: a cursor is the number of those before. */
function firstHit(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const first = /^[0-9a-z]{1,2}$/.test(cursor) ? Number.parseInt(cursor, 36) : 0
  if (first < 1 || first >= MAX_HITS) throw new InvalidParameter('cursor')
  return first
}

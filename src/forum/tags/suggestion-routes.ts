import type { FastifyInstance } from 'fastify'
import { isVisible } from '../../kernel/rights/visibility.ts'
import { tagNameOf } from '../../text/tag-name.ts'
import { queryParam } from '../../web/params.ts'
import { findCourse } from '../courses/queries.ts'
import { mostUsedTags } from './queries.ts'

/** JSON for public/js/tag-suggestions.js. */
export function registerTagSuggestions(app: FastifyInstance): void {
  app.get('/questions/tags', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const course = await findCourse(app.db, queryParam(request, 'course') ?? '')
    const beginning = tagNameOf(queryParam(request, 'q') ?? '')
    const isReadable = course !== null && isVisible(request.person, course)
    const names = isReadable && beginning !== '' ? await mostUsedTags(app.db, course.id, beginning) : []
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'cookie')
      .send({ suggestions: names.map((text) => ({ text })) })
  })
}

import type { FastifyInstance } from 'fastify'
import { tagNameOf } from '../../text/tag-name.ts'
import { queryParam } from '../../web/params.ts'
import { courseParam } from '../courses/course-bar.ts'
import { mostUsedTags } from './queries.ts'

/** JSON for public/js/tag-suggestions.js. */
export function registerTagSuggestions(app: FastifyInstance): void {
  app.get('/questions/tags', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const course = await courseParam(request)
    const beginning = tagNameOf(queryParam(request, 'q') ?? '')
    const names = course === null || beginning === '' ? [] : await mostUsedTags(app.db, course.id, beginning)
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'cookie')
      .send({ suggestions: names.map((text) => ({ text })) })
  })
}

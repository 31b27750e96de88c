import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isVisible } from '../../rights/visibility.ts'
import { translatorFor } from '../../web/language.ts'
import { queryParam } from '../../web/params.ts'
import { RelatedQuestions } from './related.ts'
import { findSimilar } from './similar.ts'
import { similarViews } from './similar-view.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly related: RelatedQuestions
  }
}

/** Similar questions while a title is typed, as JSON for public/js/similar.js; without it the preview shows them. */
export function registerSimilar(app: FastifyInstance): void {
  app.decorate(
    'related',
    new RelatedQuestions(app.db, app.changes, (error) =>
      app.log.warn({ err: error }, 'near questions could not be kept'),
    ),
  )
  app.get('/questions/similar', { config: { limit: 'suggestions' } }, async (request, reply) => {
    const title = (queryParam(request, 'title') ?? '').slice(0, 300)
    const slug = queryParam(request, 'course')
    const course = slug === null ? null : await app.courses.findCourse(slug)
    const asked = course !== null && isVisible(request.person, course) ? course : null
    const to = { title, body: '', tags: [], courseId: asked?.id ?? null, exceptId: null }
    const courses = await app.courses.readable(request.person, asked?.slug ?? null)
    const similar =
      title.length < 3 ? [] : await findSimilar(app.db, request.person, to, courses, app.foundQuestions)
    return reply
      .header('cache-control', 'private, max-age=30')
      .header('vary', 'accept-language, cookie')
      .send({ similar: similarViews(similar, request.person), told: toldOf(request, similar.length) })
  })
}

/** How many there are, in words; '' for none. */
function toldOf(request: FastifyRequest, count: number): string {
  return count === 0 ? '' : translatorFor(request)('similar.count', { count })
}

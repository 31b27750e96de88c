import type { FastifyRequest } from 'fastify'
import type { RelatedQuestion } from '../search/related.ts'
import type { QuestionTree } from './tree.ts'

/** What stands beside a question is worth no failure of its page. */
export async function relatedTo(
  request: FastifyRequest,
  tree: QuestionTree,
): Promise<readonly RelatedQuestion[]> {
  const { id: exceptId, title, body, course_id: courseId } = tree
  const tags = tree.tags.map(({ name }) => name)
  try {
    return await request.server.related.of({ title, body, tags, courseId, exceptId })
  } catch (error) {
    request.log.warn({ err: error, questionId: exceptId }, 'a page without its related questions')
    if (request.rendering !== null) request.rendering.isCacheable = false
    return []
  }
}

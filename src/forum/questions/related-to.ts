import type { FastifyRequest } from 'fastify'
import type { EarlierAnswered } from '../search/earlier-answered.ts'
import type { RelatedQuestion, RelatedQuestions, RelatedTo } from '../search/related.ts'
import type { QuestionTree } from './tree.ts'

/** Questions about the same, to read on. */
export function relatedTo(request: FastifyRequest, tree: QuestionTree): Promise<readonly RelatedQuestion[]> {
  return besideIt(request, tree, (related, to) => related.of(to))
}

/** Questions that were answered before it and may answer it too. */
export function answeredBefore(
  request: FastifyRequest,
  tree: QuestionTree,
  size: number,
): Promise<readonly EarlierAnswered[]> {
  return besideIt(request, tree, (related, to) => related.answeredBefore(to, size))
}

/** What stands beside a question is worth no failure of its page. */
async function besideIt<Found>(
  request: FastifyRequest,
  tree: QuestionTree,
  find: (related: RelatedQuestions, to: RelatedTo) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const { id: exceptId, title, body, course_id: courseId } = tree
  const tags = tree.tags.map(({ name }) => name)
  try {
    return await find(request.server.related, { title, body, tags, courseId, exceptId })
  } catch (error) {
    request.log.warn({ err: error, questionId: exceptId }, 'a page without its related questions')
    if (request.rendering !== null) request.rendering.isCacheable = false
    return []
  }
}

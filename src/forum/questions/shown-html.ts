import type { FastifyRequest } from 'fastify'
import { type ShownPost, withMentions } from '../mentions/show.ts'
import { withQuestionTitles } from './question-links.ts'

/** The HTML of posts, in their order, with the names of people they mention and the titles of questions they link to. */
export async function shownHtml(request: FastifyRequest, posts: readonly ShownPost[]): Promise<string[]> {
  return withQuestionTitles(request, await withMentions(request, posts))
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../../kernel/problem.ts'
import { page } from '../../web/page.ts'
import { idParam, queryParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { findAnswer, type Post, questionOf } from '../posts/find.ts'

/**
 * Where an answer's forms are, for a visitor who must sign in first. It is looked for only when somebody has:
 * to visitors an answer in a private course is not there, and neither would be what its members typed.
 */
export function answerPage(request: FastifyRequest): string {
  return `/answers/${idParam(request, 'id')}`
}

/** The same with the form for one more reply open. */
export function answerReplyPage(request: FastifyRequest): string {
  return pathWith(answerPage(request), { form: `reply-answer-${idParam(request, 'id')}` })
}

/** `/answers/:id` leads to the answer on its question's page, or to the form there that `form` names. */
export function registerAnswerPage(app: FastifyInstance): void {
  app.get('/answers/:id', async (request, reply) => {
    const id = idParam(request, 'id')
    const answer = await findAnswer(app.db, request.person, id, 'read').catch((error) =>
      restorableInstead(request, id, error),
    )
    if ('deleted' in answer) return showDeleted(request, reply.code(410), answer.deleted)
    const form = queryParam(request, 'form')
    const typedBefore = { kept: queryParam(request, 'kept'), draft: queryParam(request, 'draft') }
    const path = pathWith(questionPath(questionOf(answer)), { form, ...typedBefore })
    const place = form === `reply-answer-${answer.id}` ? form : `answer-${answer.id}`
    return reply.redirect(`${path}#${place}`, 303)
  })
}

/** The answer that was not found as it is deleted, for those who may restore it. @throws the error, for all others */
async function restorableInstead(request: FastifyRequest, id: number, error: unknown) {
  const isGone = error instanceof Problem && error.key === 'gone'
  if (!isGone || request.person === null) throw error
  const deleted = await findAnswer(request.server.db, request.person, id, 'restore').catch(() => null)
  if (deleted === null) throw error
  return { deleted }
}

export const showDeleted = page('questions/deleted-answer', {}, ({ t }, answer: Post) => ({
  title: t('answers.deleted.title'),
  restorePath: `/answers/${answer.id}/restoration`,
  questionPath: questionPath(questionOf(answer)),
}))

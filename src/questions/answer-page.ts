import type { FastifyInstance, FastifyRequest } from 'fastify'
import { idParam, queryParam } from '../web/params.ts'
import { pathWith, questionPath } from '../web/paths.ts'
import { findAnswer } from './find.ts'

/**
 * Where an answer's forms are, for whoever must sign in first. It is looked for only when somebody has: to visitors an
 * answer in a private course is not there, and neither would be what its members typed.
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
    const answer = await findAnswer(app.db, request.person, idParam(request, 'id'), 'read')
    const [form, kept] = [queryParam(request, 'form'), queryParam(request, 'kept')]
    const path = pathWith(questionPath({ id: answer.questionId, title: answer.title }), { form, kept })
    const place = form === `reply-answer-${answer.id}` ? form : `answer-${answer.id}`
    return reply.redirect(`${path}#${place}`, 303)
  })
}

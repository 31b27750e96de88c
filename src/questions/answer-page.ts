import type { FastifyRequest } from 'fastify'
import { idParam } from '../web/params.ts'
import { answerPath } from '../web/paths.ts'
import { findAnswer } from './find.ts'

/** The page an answer's forms are on, for whoever must sign in first. @throws Problem 404 when visitors cannot see it */
export async function answerPage(request: FastifyRequest): Promise<string> {
  const answer = await findAnswer(request.server.db, null, idParam(request, 'id'), 'read')
  return answerPath({ id: answer.questionId, title: answer.title }, answer.id)
}

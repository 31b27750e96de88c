import type { FastifyInstance, FastifyRequest } from 'fastify'
import { idParam } from '../../web/params.ts'
import { answerPath, questionPath } from '../../web/paths.ts'
import { answerPage } from '../questions/answer-page.ts'
import { findAnswer, findQuestion, questionOf } from '../questions/find.ts'
import { castVote } from './commands.ts'
import { isYes } from './form.ts'

/** Voting for questions and answers, and taking it back. */
export function registerVotes(app: FastifyInstance): void {
  const config = { limit: 'voting', needsPerson: true } as const
  const questionPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/votes',
    { config: { ...config, formPage: questionPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'vote')
      const isVoted = isYes(request)
      await castVote(app.db, { kind: 'question', id: question.id }, person.id, isVoted)
      return reply.flash(flashOf(isVoted)).redirect(questionPath(question), 303)
    },
  )
  app.post('/answers/:id/votes', { config: { ...config, formPage: answerPage } }, async (request, reply) => {
    const person = request.requirePerson()
    const answer = await findAnswer(app.db, person, idParam(request, 'id'), 'vote')
    const isVoted = isYes(request)
    await castVote(app.db, { kind: 'answer', id: answer.id }, person.id, isVoted)
    const path = answerPath(questionOf(answer), answer.id)
    return reply.flash(flashOf(isVoted)).redirect(path, 303)
  })
}

function flashOf(isVoted: boolean): string {
  return isVoted ? 'votes.flash.cast' : 'votes.flash.takenBack'
}

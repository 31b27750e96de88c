import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openForm } from '../../web/forms/door.ts'
import { idParam } from '../../web/params.ts'
import { answerPath, questionPath } from '../../web/paths.ts'
import { answerPage } from '../questions/answer-page.ts'
import { answerVote, questionVote } from './votes.ts'

const key = (request: FastifyRequest) => idParam(request, 'id')
const flash = (_: FastifyRequest, done: { readonly isVoted: boolean } | null) =>
  done?.isVoted === true ? 'votes.flash.cast' : 'votes.flash.takenBack'

/** Voting for questions and answers, and taking it back. */
export function registerVotes(app: FastifyInstance): void {
  openForm(app, '/questions/:id/votes', questionVote, {
    key,
    formPage: (request) => `/questions/${key(request)}`,
    done: ({ question }) => questionPath(question),
    flash,
  })
  openForm(app, '/answers/:id/votes', answerVote, {
    key,
    formPage: answerPage,
    done: ({ id, question }) => answerPath(question, id),
    flash,
  })
}

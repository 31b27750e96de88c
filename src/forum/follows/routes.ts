import type { FastifyInstance, FastifyRequest } from 'fastify'
import { idParam, queryParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../questions/find.ts'
import { isYes } from '../votes/form.ts'
import { setFollowing } from './commands.ts'

/** Following a question: by its button, or by "this answers mine" while asking (`?instead=1`). */
export function registerFollows(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/following',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'follow')
      const isFollowed = isYes(request)
      const isInstead = isFollowed && queryParam(request, 'instead') === '1'
      await setFollowing(app.db, question.id, person.id, isFollowed, isInstead)
      const message = isInstead ? 'instead' : isFollowed ? 'followed' : 'unfollowed'
      return reply.flash(`follows.flash.${message}`).redirect(questionPath(question), 303)
    },
  )
}

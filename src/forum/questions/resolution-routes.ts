import type { FastifyInstance, FastifyRequest } from 'fastify'
import { choice } from '../../web/fields.ts'
import { form } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { Problem } from '../../web/problem.ts'
import { findQuestion } from './find.ts'
import { setResolution } from './resolution.ts'

const resolutionForm = form({ status: choice(['resolved', 'unresolved']) })

/** Saying that a question is resolved, or not. */
export function registerResolution(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/resolution',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const question = await findQuestion(app.db, request.requirePerson(), idParam(request, 'id'), 'resolve')
      const form = resolutionForm.parse(request.body)
      if (!form.ok) throw new Problem(422, 'badRequest')
      await setResolution(app.db, question.id, form.values.status)
      return reply.flash(`questions.flash.${form.values.status}`).redirect(questionPath(question), 303)
    },
  )
}

import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Problem } from '../../operations/problem.ts'
import { form } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { noteOpening } from '../search/learning/openings.ts'
import { parseQuery } from '../search/query.ts'
import { findQuestion } from './find.ts'

const openingForm = form({ q: z.string() })

/** That somebody signed in opened a question from a search: public/js/openings.js says so. Without it nothing is counted. */
export function registerOpenings(app: FastifyInstance, secret: string): void {
  app.post(
    '/questions/:id/opening',
    { config: { limit: 'voting', needsPerson: true, formPage: () => '/search' } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'follow')
      const parsed = openingForm.parse(request.body)
      if (!parsed.ok) throw new Problem('invalid')
      const { subject } = parseQuery(parsed.values.q)
      await noteOpening(app.db, secret, { questionId: question.id, personId: person.id, subject })
      return reply.redirect(questionPath(question), 303)
    },
  )
}

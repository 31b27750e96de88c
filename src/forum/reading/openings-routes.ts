import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { Problem } from '../../kernel/problem.ts'
import { form } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../posts/find.ts'
import { isOfResult, noteOpening } from '../search/learning/signals.ts'
import { parseQuery } from '../search/query.ts'

const openingForm = form({ q: z.string(), sign: z.string() })

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
      const { q, sign } = parsed.values
      const opening = { questionId: question.id, personId: person.id, subject: q }
      // Without the sign of a page of results that shows it, which any form could leave out, it is opened and not counted.
      if (isOfResult(secret, opening, sign)) {
        const { subject } = parseQuery(q)
        const needsConfirmed = app.config.smtpUrl !== null
        await noteOpening(app.db, { secret, needsConfirmed }, { ...opening, subject })
      }
      return reply.redirect(questionPath(question), 303)
    },
  )
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { forbidden, Problem } from '../../operations/problem.ts'
import { choice, optional } from '../../web/fields.ts'
import { form } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findOpenness, mayHide, openQuestion, withdrawQuestion } from './audience.ts'
import { findQuestion } from './find.ts'

/** `anonymous`: with the name (0) or without it (1); left out: as it is. */
const audienceForm = form({ audience: choice(['course', 'staff']), anonymous: optional(choice(['0', '1'])) })

/** Keeping a question to the staff, and opening it to the course. */
export function registerAudience(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/audience',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const sent = audienceForm.parse(request.body)
      const act = sent.typed.audience === 'course' ? 'open' : 'withdraw'
      const question = await findQuestion(app.db, person, idParam(request, 'id'), act)
      if (!sent.ok) throw new Problem('invalid')
      const { id, courseId, authorId } = question
      const now = await findOpenness(app.db, id)
      const { audience, anonymous } = sent.values
      if (audience === 'staff') {
        const isOwn = person.id === authorId
        if (isOwn && !now.allowsPrivate && now.audience === 'course') throw forbidden()
        await withdrawQuestion(app.db, id)
        if (!isOwn) noteEvent(request, 'question-withdrawn', { id, authorId })
      } else {
        const hides = anonymous === '1' && !now.isAnonymous
        if (hides && (now.wasOpen || !mayHide(person, { ...now, id: courseId }))) throw new Problem('invalid')
        await openQuestion(app.db, id, anonymous === null ? null : anonymous === '1')
      }
      return reply
        .flash(audience === 'staff' ? 'audience.flash.withdrawn' : 'audience.flash.opened')
        .redirect(questionPath({ ...question, audience }), 303)
    },
  )
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { Problem } from '../../operations/problem.ts'
import { may } from '../../rights/rights.ts'
import { backPath } from '../../web/back.ts'
import { choice } from '../../web/fields.ts'
import { form, typedFields } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { findQuestion } from './find.ts'
import { setResolution, undoResolution } from './resolution.ts'

const resolutionForm = form({ status: choice(['resolved', 'unresolved']) })

/**
 * Saying that a question is resolved, or not. From the desk (`stay`: where the question is open there) staff are offered to undo it,
 * which sends `undo`: nothing was reopened then.
 */
export function registerResolution(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/resolution',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'resolve')
      const form = resolutionForm.parse(request.body)
      if (!form.ok) throw new Problem('invalid')
      const { status } = form.values
      const { stay, undo } = typedFields(request.body)
      const isOfDesk = may(person, 'assign', question)
      if (isOfDesk && undo !== undefined && status === 'unresolved') await undoResolution(app.db, question.id)
      else await setResolution(app.db, question.id, status)
      if (isOfDesk && person.id !== question.askerId)
        noteEvent(request, 'staff-decided', {
          act: status === 'resolved' ? 'resolve' : 'reopen',
          questionId: question.id,
        })
      const undoPath =
        isOfDesk && stay !== undefined && status === 'resolved'
          ? pathWith(`/questions/${question.id}/resolution`, { status: 'unresolved', undo: 1, back: stay })
          : undefined
      return reply
        .flash(`questions.flash.${status}`, undoPath)
        .redirect(backPath(request, questionPath(question)), 303)
    },
  )
}

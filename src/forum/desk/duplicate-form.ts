import type { FastifyInstance, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../questions/find.ts'
import { questionIdIn, setDuplicate } from './duplicates.ts'
import { refuse } from './refused.ts'

const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
const config = { limit: 'voting', needsPerson: true, formPage } as const

/** `of`: id or address of the question that answers this one; empty: it is none after all, which the asker may say as well. */
export function registerDuplicates(app: FastifyInstance): void {
  app.post('/questions/:id/duplicate', { config }, async (request, reply) => {
    const person = request.requirePerson()
    const of = (typedFields(request.body).of ?? '').trim()
    const question = await findQuestion(
      app.db,
      person,
      idParam(request, 'id'),
      of === '' ? 'unlink' : 'assign',
    )
    const originalId = of === '' ? null : questionIdIn(of)
    const refusal =
      of !== '' && originalId === null
        ? 'unknown'
        : await setDuplicate(app.db, { questionId: question.id, originalId, linkedBy: person.id })
    if (refusal !== null)
      return refuse(request, reply, question, {
        act: 'duplicate',
        name: 'of',
        value: of,
        type: 'text',
        why: refusal,
      })
    noteEvent(request, 'staff-decided', { act: of === '' ? 'unlink' : 'link', questionId: question.id })
    return reply
      .flash(of === '' ? 'desk.flash.unlinked' : 'desk.flash.linked')
      .redirect(backPath(request, questionPath(question)), 303)
  })
}

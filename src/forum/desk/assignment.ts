import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteEvent } from '../../audit-log/note.ts'
import { translatorOf } from '../../messages/catalogue.ts'
import { Problem } from '../../operations/problem.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { languageOfRequest } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion, type Post } from '../questions/find.ts'
import { assignQuestion, type Taken } from './commands.ts'

/**
 * Taking a question (`assignee` = `me`), giving it (a person's id), putting it back (empty). `seen`: who had it when the form was
 * rendered. Without it, only what nobody has can be taken.
 */
export function registerAssignment(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/assignment',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'assign')
      const { assignee = '', seen } = typedFields(request.body)
      const assigneeId = assignee === 'me' ? person.id : idOf(assignee)
      const seenId = seen === undefined ? (assignee === 'me' ? null : undefined) : idOf(seen)
      const outcome = await assignQuestion(app.db, {
        questionId: question.id,
        courseId: question.courseId,
        assigneeId,
        assignedBy: person.id,
        seen: seenId,
      })
      if (outcome === 'unable') throw new Problem('invalid')
      if (typeof outcome === 'object') return showTaken(request, reply, question, outcome)
      if (outcome === 'done') noteEvent(request, 'staff-decided', { act: 'assign', questionId: question.id })
      const done = assigneeId === null ? 'putBack' : assigneeId === person.id ? 'taken' : 'given'
      return reply
        .flash(outcome === 'closed' ? 'desk.flash.closed' : `desk.flash.${done}`)
        .redirect(backPath(request, questionPath(question)), 303)
    },
  )
}

/** @throws Problem 422 for what is no id */
function idOf(typed: string | undefined): number | null {
  if (typed === '' || typed === undefined) return null
  if (!/^[1-9]\d{0,14}$/.test(typed)) throw new Problem('invalid')
  return Number(typed)
}

/** Tells who has it, and offers to take it over from them. An empty name: they put it back. */
function showTaken(request: FastifyRequest, reply: FastifyReply, question: Post, taken: Taken) {
  const t = translatorOf(languageOfRequest(request))
  return reply.page(
    'desk/taken',
    {
      title: t('desk.taken.title'),
      name: taken.name,
      questionTitle: question.title,
      backPath: backPath(request, questionPath(question)),
      assignment: {
        action: `/questions/${question.id}/assignment`,
        seen: taken.id === null ? '' : String(taken.id),
      },
    },
    { status: 409, robots: 'noindex' },
  )
}

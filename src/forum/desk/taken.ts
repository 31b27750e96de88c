import type { FastifyReply, FastifyRequest } from 'fastify'
import { backPath } from '../../web/back.ts'
import { translatorFor } from '../../web/language.ts'
import { idParam } from '../../web/params.ts'
import { questionPath } from '../../web/paths.ts'
import { findQuestion } from '../posts/find.ts'
import type { Taken } from './commands.ts'
import type { TakenPage } from './desk-view.ts'

/** Tells who has it, and offers to take it over from them. An empty name: they put it back. */
export async function showTaken(request: FastifyRequest, reply: FastifyReply, taken: Taken) {
  const id = idParam(request, 'id')
  const question = await findQuestion(request.server.db, request.requirePerson(), id, 'assign')
  const t = translatorFor(request)
  return reply.page<TakenPage>(
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

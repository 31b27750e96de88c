import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { noteEvent } from '../../audit-log/note.ts'
import type { Database } from '../../database/schema.ts'
import { Problem } from '../../operations/problem.ts'
import { backPath } from '../../web/back.ts'
import { typedFields } from '../../web/form.ts'
import { idParam } from '../../web/params.ts'
import { pathWith, questionPath } from '../../web/paths.ts'
import { findQuestion } from '../questions/find.ts'
import { lockQuestion } from '../questions/lock.ts'
import { isYes } from '../votes/form.ts'

/** Saying that a question needs no answer, `value` = `1`, or that it does: a thank-you waits for nobody. */
export function registerDone(app: FastifyInstance): void {
  const formPage = (request: FastifyRequest) => `/questions/${idParam(request, 'id')}`
  app.post(
    '/questions/:id/done',
    { config: { limit: 'voting', needsPerson: true, formPage } },
    async (request, reply) => {
      const person = request.requirePerson()
      const question = await findQuestion(app.db, person, idParam(request, 'id'), 'assign')
      const isDone = isYes(request)
      const outcome = await sayDone(app.db, question.id, isDone ? person.id : null)
      const path = backPath(request, questionPath(question))
      if (outcome === 'unanswered') throw new Problem('unanswered')
      noteEvent(request, 'staff-decided', { act: isDone ? 'done' : 'not-done', questionId: question.id })
      const stay = typedFields(request.body).stay ?? path
      const undoPath = pathWith(`/questions/${question.id}/done`, { value: 0, back: stay })
      return reply
        .flash(isDone ? 'desk.flash.done' : 'desk.flash.notDone', isDone ? undoPath : undefined)
        .redirect(path, 303)
    },
  )
}

/**
 * Notes that a question needs no answer: the last word of staff, though neither their first answer nor a kept promise.
 * @param doneBy whose decision; null: it is taken back
 * @returns 'unanswered' where it is open and staff have said nothing yet: then nothing changes
 */
export async function sayDone(
  db: Database,
  questionId: number,
  doneBy: number | null,
): Promise<'done' | 'unanswered'> {
  return db.transaction().execute(async (write) => {
    await lockQuestion(write, questionId)
    const { rows } = await sql<{ isAnswered: boolean; at: Date }>`
      select desk.first_staff_at is not null or q.closed_at is not null
          or exists (select from imported_posts where question_id = q.id) as "isAnswered",
        greatest(now(), q.active_at, q.closed_at, desk.asked_at) as at
      from question_desk as desk join questions as q on q.id = desk.question_id
      where q.id = ${questionId} for update of desk`.execute(write)
    const [desk] = rows
    if (desk === undefined || (doneBy !== null && !desk.isAnswered)) return 'unanswered'
    await write
      .updateTable('question_desk')
      .set({ done_at: doneBy === null ? null : desk.at, done_by: doneBy })
      .where('question_id', '=', questionId)
      .execute()
    return 'done'
  })
}

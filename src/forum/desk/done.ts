import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { mark } from '../../kernel/mark.ts'
import { Problem } from '../../kernel/problem.ts'
import { lockQuestion, question } from '../posts/lock.ts'

/** Says that a question needs no answer, or that it does: a thank-you waits for nobody. */
export const questionDone = mark({
  name: 'question-done',
  right: 'assign',
  find: question,
  address: '/questions/:id/done',
  isForStaff: true,
  events: ['staff-decided'],
  flash: { set: 'desk.flash.done', unset: 'desk.flash.notDone' },
  undo: { of: 'set', sends: { value: 0 } },
  async change({ write, subject: { id }, person, note }, isDone) {
    const outcome = await sayDone(write, id, isDone ? person.id : null)
    if (outcome === 'unanswered') throw new Problem('unanswered')
    note('staff-decided', { act: isDone ? 'done' : 'not-done', questionId: id })
  },
})

/**
 * The last word of staff, though neither their first answer nor a kept promise. @param actorId null: it is taken back
 * @returns 'unanswered' where it is open and staff have said nothing yet: then nothing changes
 */
export async function sayDone(write: Write, questionId: number, actorId: number | null) {
  await lockQuestion(write, questionId)
  const { rows } = await sql<{ isAnswered: boolean; at: Date }>`
    select desk.first_staff_at is not null or q.closed_at is not null
        or exists (select from imported_posts where question_id = q.id) as "isAnswered",
      greatest(now(), q.active_at, q.closed_at, desk.asked_at) as at
    from question_desk as desk join questions as q on q.id = desk.question_id
    where q.id = ${questionId} for update of desk`.execute(write)
  const [desk] = rows
  if (desk === undefined || (actorId !== null && !desk.isAnswered)) return 'unanswered'
  await write
    .updateTable('question_desk')
    .set({ done_at: actorId === null ? null : desk.at, done_by: actorId })
    .where('question_id', '=', questionId)
    .execute()
  return 'done'
}

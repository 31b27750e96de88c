import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { typedDay } from '../../kernel/fields.ts'
import { markWith } from '../../kernel/mark.ts'
import { dayAhead } from '../posts/day-ahead.ts'
import { lockQuestion, question } from '../posts/lock.ts'
import { lockDesk } from './assignment.ts'

/** Puts a question off until a day, `until` = `2026-12-01`; empty: not any more. The asker's next word ends it, too. */
export const questionSnooze = markWith({
  name: 'snooze-question',
  right: 'assign',
  find: question,
  address: '/questions/:id/snooze',
  isForStaff: true,
  input: { until: typedDay },
  body: { fields: { until: typedDay }, required: ['until'] },
  set: {},
  unset: { until: '' },
  events: ['staff-decided'],
  flash: { snoozed: 'desk.flash.snoozed', woken: 'desk.flash.woken', closed: 'desk.flash.closed' },
  asks: { name: 'until', type: 'date' },
  async run({ write, actor, subject, input: { until: typed }, note }) {
    const { id, courseId } = subject
    const until = typed === '' ? null : await dayAhead(write, { person: personOf(actor), courseId }, typed)
    const isOpen = await snoozeQuestion(write, id, until)
    if (isOpen) note('staff-decided', { act: 'snooze', questionId: id })
    const done = until === null ? 'woken' : 'snoozed'
    return { subject, done: isOpen ? done : 'closed' } as const
  },
})

/** Puts a question off. @param until null: not any more @returns false when it waits for nobody */
export async function snoozeQuestion(
  write: Write,
  questionId: number,
  until: { readonly day: string; readonly timeZone: string } | null,
): Promise<boolean> {
  await lockQuestion(write, questionId)
  const desk = await lockDesk(write, questionId)
  if (!desk.isOpen) return false
  const begin =
    until === null ? null : sql<Date>`${until.day}::date::timestamp at time zone ${until.timeZone}`
  await write
    .updateTable('question_desk')
    .set({ snoozed_until: begin })
    .where('question_id', '=', questionId)
    .execute()
  return true
}

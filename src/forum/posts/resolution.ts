import type { Status, Write } from '../../database/schema.ts'
import { personOf } from '../../kernel/actor.ts'
import { choice, optionalFlag } from '../../kernel/fields.ts'
import { markWith } from '../../kernel/mark.ts'
import { may } from '../../kernel/rights/rights.ts'
import { indexQuestions } from '../search/index-question.ts'
import { type LockedQuestion, lockQuestion, question } from './lock.ts'

/**
 * Says that a question is resolved, or not. `undo` of staff takes back what they said a moment ago: nothing was reopened then.
 */
export const questionResolution = markWith({
  name: 'resolve-question',
  right: 'resolve',
  find: question,
  address: '/questions/:id/resolution',
  input: { status: choice(['resolved', 'unresolved']), undo: optionalFlag },
  set: { status: 'resolved' },
  unset: { status: 'unresolved' },
  events: ['staff-decided'],
  flash: { resolved: 'questions.flash.resolved', unresolved: 'questions.flash.unresolved' },
  undo: { of: 'resolved', sends: { status: 'unresolved', undo: 1 }, isOfDesk: true },
  async run({ write, actor, subject, input: { status, undo }, note }) {
    const person = personOf(actor)
    const isOfDesk = may(person, 'assign', subject)
    if (isOfDesk && undo === true && status === 'unresolved') await undoResolution(write, subject.id)
    else await setResolution(write, subject.id, status)
    if (isOfDesk && person.id !== subject.askerId) {
      const act = status === 'resolved' ? 'resolve' : 'reopen'
      note('staff-decided', { act, questionId: subject.id })
    }
    return { subject, done: status, isUndoable: isOfDesk }
  },
})

/** Says whether a question is resolved. Unresolving takes back the acceptance too: an accepted answer resolves. */
export async function setResolution(write: Write, questionId: number, status: Status): Promise<void> {
  const question = await lockQuestion(write, questionId)
  const acceptedAnswerId = status === 'resolved' ? question.acceptedAnswerId : null
  await writeStatus(write, question, status, acceptedAnswerId)
}

/** Reopens a question in the transaction of a reply that asks on; one that is open stays as it is. */
export async function reopen(write: Write, questionId: number): Promise<void> {
  const question = await lockQuestion(write, questionId)
  if (question.status === 'resolved') await writeStatus(write, question, 'unresolved', null)
}

/**
 * Takes back that a question was resolved, as if it had never been: it waits since when it waited before, not since now. An
 * acceptance that came meanwhile is kept.
 */
export async function undoResolution(write: Write, questionId: number): Promise<void> {
  const question = await lockQuestion(write, questionId)
  if (question.status === 'unresolved' || question.acceptedAnswerId !== null) return
  const { reopened_at: reopenedAt } = await write
    .selectFrom('questions')
    .select('reopened_at')
    .where('id', '=', questionId)
    .executeTakeFirstOrThrow()
  await writeStatus(write, question, 'unresolved', null)
  // The trigger that notes a reopening has noted one.
  await write.updateTable('questions').set({ reopened_at: reopenedAt }).where('id', '=', questionId).execute()
}

export async function writeStatus(
  write: Write,
  question: LockedQuestion,
  status: Status,
  acceptedAnswerId: number | null,
): Promise<void> {
  await write
    .updateTable('questions')
    .set({ status, accepted_answer_id: acceptedAnswerId })
    .where('id', '=', question.id)
    .execute()
  if (acceptedAnswerId !== question.acceptedAnswerId || status !== question.status)
    await indexQuestions(write, [question.id])
}

import type { Database, Status, Write } from '../../database/schema.ts'
import { indexQuestions } from '../search/index-question.ts'
import { type LockedQuestion, lockQuestion } from './lock.ts'

/** Says whether a question is resolved. Unresolving takes back the acceptance too: an accepted answer resolves. */
export async function setResolution(db: Database, questionId: number, status: Status): Promise<void> {
  await db.transaction().execute(async (write) => {
    const question = await lockQuestion(write, questionId)
    const acceptedAnswerId = status === 'resolved' ? question.acceptedAnswerId : null
    await writeStatus(write, question, status, acceptedAnswerId)
  })
}

/** Sets status and acceptance of a locked question. */
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

import type { Database } from '../../database/schema.ts'
import { gone } from '../../web/problem.ts'
import { lockQuestion } from '../questions/lock.ts'
import { writeStatus } from '../questions/resolution.ts'

/** Accepts an answer, which resolves its question, or takes the acceptance back, which opens the question again. */
export async function setAcceptance(
  db: Database,
  questionId: number,
  answerId: number,
  isAccepted: boolean,
): Promise<void> {
  await db.transaction().execute(async (write) => {
    const question = await lockQuestion(write, questionId)
    const answer = await write
      .selectFrom('answers')
      .select('id')
      .where('id', '=', answerId)
      .where('question_id', '=', questionId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (answer === undefined) throw gone()
    if (isAccepted) await writeStatus(write, question, 'resolved', answerId)
    else if (question.acceptedAnswerId === answerId) await writeStatus(write, question, 'unresolved', null)
  })
}

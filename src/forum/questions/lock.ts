import type { Write } from '../../database/schema.ts'
import { gone } from '../../operations/problem.ts'

/** An answer to a question, which is locked. @throws Problem 'gone' when it is not shown any more */
export async function shownAnswer(write: Write, questionId: number, id: number) {
  const answer = await write
    .selectFrom('answers')
    .select('endorsed_by')
    .where('id', '=', id)
    .where('question_id', '=', questionId)
    .where('is_shown', '=', true)
    .executeTakeFirst()
  if (answer === undefined) throw gone()
  return answer
}

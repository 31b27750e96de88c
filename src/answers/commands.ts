import { sql } from 'kysely'
import type { Database } from '../database/schema.ts'
import { countInCourse, countOfPerson } from '../questions/counters.ts'
import { lockEvenDeleted } from '../questions/lock.ts'
import { writeStatus } from '../questions/resolution.ts'
import { indexQuestions } from '../search/index-question.ts'
import { gone } from '../web/problem.ts'

/** Hides an answer and takes it out of every count; an accepted one leaves its question unresolved. */
export async function deleteAnswer(db: Database, questionId: number, id: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    const question = await lockEvenDeleted(write, questionId)
    const deleted = await write
      .updateTable('answers')
      .set({ deleted_at: sql`now()` })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .returning('author_id')
      .executeTakeFirst()
    if (deleted === undefined) throw gone()
    const answersCount = question.answersCount - 1
    await write
      .updateTable('questions')
      .set({ answers_count: answersCount })
      .where('id', '=', questionId)
      .execute()
    await countOfPerson(write, deleted.author_id, 'answers_count', -1)
    if (question.isDeleted) return
    if (question.acceptedAnswerId === id) await writeStatus(write, question, 'unresolved', null)
    if (answersCount === 0) await countInCourse(write, question.courseId, { unanswered: 1 })
    await indexQuestions(write, [questionId])
  })
}

import { sql } from 'kysely'
import { joinCourse } from '../courses/commands.ts'
import type { Database, Write } from '../database/schema.ts'
import { countInCourse, countOfPerson } from '../questions/counters.ts'
import { lockEvenDeleted, lockQuestion } from '../questions/lock.ts'
import { writtenNow } from '../questions/moment.ts'
import { renderedBody } from '../questions/post-text.ts'
import { writeStatus } from '../questions/resolution.ts'
import { indexQuestions } from '../search/index-question.ts'
import { gone } from '../web/problem.ts'

export interface NewAnswer {
  readonly questionId: number
  readonly authorId: number
  readonly body: string
}

/** Posts an answer; whoever answers belongs to the course. @returns its id */
export async function postAnswer(write: Write, answer: NewAnswer): Promise<number> {
  const question = await lockQuestion(write, answer.questionId)
  const { id } = await write
    .insertInto('answers')
    .values({
      question_id: question.id,
      author_id: answer.authorId,
      written_at: writtenNow(question.id),
      ...renderedBody(answer.body),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await write
    .updateTable('questions')
    .set({ answers_count: question.answersCount + 1, active_at: writtenNow(question.id) })
    .where('id', '=', question.id)
    .execute()
  await countOfPerson(write, answer.authorId, 'answers_count', 1)
  if (question.answersCount === 0) await countInCourse(write, question.courseId, { unanswered: -1 })
  await joinCourse(write, question.courseId, answer.authorId)
  await indexQuestions(write, [question.id])
  return id
}

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

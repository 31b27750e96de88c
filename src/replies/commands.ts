import { sql } from 'kysely'
import { joinCourse } from '../courses/commands.ts'
import type { Database, Write } from '../database/schema.ts'
import { lockEvenDeleted, lockQuestion } from '../questions/lock.ts'
import { writtenNow } from '../questions/moment.ts'
import { renderedBody } from '../questions/post-text.ts'
import { indexQuestions } from '../search/index-question.ts'
import { queueForSearch } from '../search/queue.ts'
import { gone } from '../web/problem.ts'

export interface NewReply {
  readonly questionId: number
  /** null: under the question itself. */
  readonly answerId: number | null
  readonly authorId: number
  readonly body: string
}

/** Posts a reply under an answer or under the question. @returns its id */
export async function postReply(write: Write, reply: NewReply): Promise<number> {
  const question = await lockQuestion(write, reply.questionId)
  if (reply.answerId !== null) await requireAnswer(write, reply.answerId)
  const { id } = await write
    .insertInto('replies')
    .values({
      question_id: question.id,
      answer_id: reply.answerId,
      author_id: reply.authorId,
      written_at: writtenNow(question.id),
      ...renderedBody(reply.body),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const active = { active_at: writtenNow(question.id) }
  await write.updateTable('questions').set(active).where('id', '=', question.id).execute()
  await joinCourse(write, question.courseId, reply.authorId)
  await queueForSearch(write, question.id)
  return id
}

/** Hides a reply. */
export async function deleteReply(db: Database, questionId: number, id: number): Promise<void> {
  await db.transaction().execute(async (write) => {
    await lockEvenDeleted(write, questionId)
    await write
      .updateTable('replies')
      .set({ deleted_at: sql`now()` })
      .where('id', '=', id)
      .where('deleted_at', 'is', null)
      .execute()
    await indexQuestions(write, [questionId])
  })
}

async function requireAnswer(write: Write, answerId: number): Promise<void> {
  const answer = await write
    .selectFrom('answers')
    .select('id')
    .where('id', '=', answerId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (answer === undefined) throw gone()
}

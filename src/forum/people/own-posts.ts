import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../database/schema.ts'
import { Problem } from '../../web/problem.ts'
import { deleteAnswer } from '../answers/commands.ts'
import { deleteQuestion } from '../questions/commands.ts'
import { deleteReply } from '../replies/commands.ts'

/**
 * Deletes all that a person wrote, as if by hand. Replies and answers go first: under a question that is gone they would count
 * as gone with it.
 */
export async function deletePostsOf(db: Database, personId: number): Promise<void> {
  const stillTheirs = sql<SqlBool>`author_id = ${personId} and deleted_at is null`
  const replies = await db.selectFrom('replies').select(['id', 'question_id']).where(stillTheirs).execute()
  for (const { id, question_id } of replies) await unlessGone(deleteReply(db, question_id, id, personId))
  const answers = await db.selectFrom('answers').select(['id', 'question_id']).where(stillTheirs).execute()
  for (const { id, question_id } of answers) await unlessGone(deleteAnswer(db, question_id, id, personId))
  await db.deleteFrom('announcements').where('author_id', '=', personId).execute()
  const questions = await db.selectFrom('questions').select('id').where(stillTheirs).execute()
  for (const { id } of questions) await unlessGone(deleteQuestion(db, id, personId))
}

/** The staff may have deleted it in the meantime. */
async function unlessGone(deletion: Promise<void>): Promise<void> {
  try {
    await deletion
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 410) throw error
  }
}

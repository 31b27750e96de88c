import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { findPlaceOfAnswer, findPlaceOfQuestion, findPlaceOfReply, type Post } from './find.ts'
import { type LockedQuestion, lockEvenDeleted } from './lock.ts'

/** A post that operations are done to. Every write to a question's tree begins by locking the question. */
export interface LockedPost extends Post {
  readonly question: LockedQuestion
}

/** @throws Problem 'notFound' */
export async function question(write: Write, id: number): Promise<LockedPost> {
  const locked = await lockEvenDeleted(write, id)
  return { ...(await findPlaceOfQuestion(write, id)), question: locked }
}

/** @throws Problem 'notFound' */
export async function answer(write: Write, id: number): Promise<LockedPost> {
  const locked = await lockQuestionOf(write, 'answers', id)
  return { ...(await findPlaceOfAnswer(write, id)), question: locked }
}

/** @throws Problem 'notFound' */
export async function reply(write: Write, id: number): Promise<LockedPost> {
  const locked = await lockQuestionOf(write, 'replies', id)
  return { ...(await findPlaceOfReply(write, id)), question: locked }
}

async function lockQuestionOf(
  write: Write,
  table: 'answers' | 'replies',
  id: number,
): Promise<LockedQuestion> {
  const post = await write.selectFrom(table).select('question_id').where('id', '=', id).executeTakeFirst()
  if (post === undefined) throw notFound()
  return lockEvenDeleted(write, post.question_id)
}

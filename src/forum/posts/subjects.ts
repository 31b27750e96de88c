import { sql } from 'kysely'
import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { findPlaceOfAnswer, findPlaceOfQuestion, findPlaceOfReply, type Post } from './find.ts'
import { type LockedQuestion, lockIfThere, type Showing } from './lock.ts'

/** A post that operations are done to. Every write to a question's tree begins by locking the question. */
export interface LockedPost extends Post {
  readonly question: LockedQuestion & Showing
}

/** @throws Problem 'notFound' */
export async function question(write: Write, id: number): Promise<LockedPost> {
  return locked(await lockIfThere(write, id), await findPlaceOfQuestion(write, id))
}

/** @throws Problem 'notFound' */
export async function answer(write: Write, id: number): Promise<LockedPost> {
  return locked(await lockQuestionOf(write, 'answers', id), await findPlaceOfAnswer(write, id))
}

/** @throws Problem 'notFound' */
export async function reply(write: Write, id: number): Promise<LockedPost> {
  return locked(await lockQuestionOf(write, 'replies', id), await findPlaceOfReply(write, id))
}

function locked(question: LockedPost['question'] | null, post: Post): LockedPost {
  if (question === null) throw notFound()
  return { ...post, question }
}

/** The same statements whether it is there or not, so that how long they take tells nothing of what is not to be seen. */
function lockQuestionOf(
  write: Write,
  table: 'answers' | 'replies',
  id: number,
): Promise<LockedPost['question'] | null> {
  return lockIfThere(write, sql<number>`(select question_id from ${sql.table(table)} where id = ${id})`)
}

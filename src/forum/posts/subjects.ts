import type { Write } from '../../database/schema.ts'
import { notFound } from '../../operations/problem.ts'
import { findPlace, type Post } from './find.ts'
import { ofEachKind, type PostTable } from './kinds.ts'
import { type LockedQuestion, lockIfThere, type Showing } from './lock.ts'

/** A post that operations are done to. Every write to a question's tree begins by locking the question. */
export interface LockedPost extends Post {
  readonly question: LockedQuestion & Showing
}

/** How operations find a post of a kind. @throws Problem 'notFound' */
export const SUBJECTS = ofEachKind(lockedPost)
export const { questions: question, answers: answer, replies: reply } = SUBJECTS

function lockedPost(table: PostTable) {
  return async (write: Write, id: number): Promise<LockedPost> => {
    const question = await lockIfThere(write, { table, id })
    const post = await findPlace(write, { table, id })
    if (question === null) throw notFound()
    return { ...post, question }
  }
}

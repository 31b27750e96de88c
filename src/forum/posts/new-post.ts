import type { Write } from '../../database/schema.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { joinCourse } from '../courses/commands.ts'
import { noteMentions } from './mentions.ts'
import { notePictures } from './pictures.ts'

/** A post that was just inserted. */
interface NewPost {
  readonly table: 'questions' | 'answers' | 'replies'
  readonly id: number
  readonly bodyHtml: string
}

/** Its author, as they are when they write it. */
export interface Authorship {
  readonly authorId: number
  readonly isAnonymous?: boolean
  /** The author is in the course already. */
  readonly isMember?: boolean
}

/**
 * Notes what a new post brings with it, in the transaction that inserted it: pictures, mentions, and its author as a learner of the
 * course where they are not in it, unless it is without their name.
 * @param question that it is, or is under
 */
export async function notePost(
  write: Write,
  question: { readonly id: number; readonly courseId: number },
  { table, id, bodyHtml }: NewPost,
  { authorId, isAnonymous = false, isMember = false }: Authorship,
): Promise<void> {
  if (picturesIn(bodyHtml).length > 0) await notePictures(write, { table, id }, bodyHtml, authorId)
  if (!isAnonymous && !isMember) await joinCourse(write, question.courseId, authorId)
  await noteMentions(write, { table, id, questionId: question.id }, bodyHtml)
}

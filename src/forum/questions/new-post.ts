import type { Write } from '../../database/schema.ts'
import { picturesIn } from '../../text/picture-address.ts'
import { joinCourse } from '../courses/commands.ts'
import { noteMentions } from './post-mentions.ts'
import { notePictures } from './post-pictures.ts'

/** A post that was just inserted. */
interface NewPost {
  readonly table: 'questions' | 'answers' | 'replies'
  readonly id: number
  readonly authorId: number
  readonly isAnonymous: boolean
  readonly bodyHtml: string
}

/**
 * What a new post brings with it, in the transaction that inserted it: pictures and mentions are noted, and its author becomes a
 * learner of the course, unless the post is without their name.
 * @param question that it is, or is under
 */
export async function notePost(
  write: Write,
  question: { readonly id: number; readonly courseId: number },
  { table, id, authorId, isAnonymous, bodyHtml }: NewPost,
): Promise<void> {
  if (picturesIn(bodyHtml).length > 0) await notePictures(write, { table, id }, bodyHtml, authorId)
  if (!isAnonymous) await joinCourse(write, question.courseId, authorId)
  await noteMentions(write, { table, id, questionId: question.id }, bodyHtml)
}
